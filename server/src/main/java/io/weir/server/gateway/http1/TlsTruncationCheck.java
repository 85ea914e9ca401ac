package io.weir.server.gateway.http1;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * Detects truncated responses over TLS. A body without a length ends when the connection closes.
 * Over TLS, the server sends a close_notify first; without it, anyone on the network path may have
 * cut the connection, and half a body would pass for a whole one. Then this handler drops the end
 * of message that Netty's codec makes up, and Vert.x sees an aborted response.
 */
public final class TlsTruncationCheck extends ChannelInboundHandlerAdapter {
  private boolean isCut;

  private TlsTruncationCheck() {}

  /** Installs this before Vert.x's handler on a new connection. */
  public static void watch(HttpConnection opened) {
    if (opened instanceof ConnectionBase connection) {
      ChannelHandlerContext vertx = connection.channelHandlerContext();
      if (vertx.pipeline().get(HttpClientCodec.class) != null
          && vertx.pipeline().get(SslHandler.class) != null) {
        vertx.pipeline().addBefore(vertx.name(), "cut short", new TlsTruncationCheck());
      }
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslCloseCompletionEvent end && !end.isSuccess()) {
      isCut = true;
    }
    ctx.fireUserEventTriggered(event);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (isCut) {
      ReferenceCountUtil.release(message);
    } else {
      ctx.fireChannelRead(message);
    }
  }
}
