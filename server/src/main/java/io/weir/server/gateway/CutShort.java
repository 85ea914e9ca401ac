package io.weir.server.gateway;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * Sees to it that a body which ends with its connection ends only if the server has said so. Over
 * TLS it says goodbye first; without that anybody on the way may have cut the connection, and half
 * a body would be taken for a whole one. Then the end that Netty's codec makes up is not handed on,
 * and Vert.x sees a response that was broken off.
 */
final class CutShort extends ChannelInboundHandlerAdapter {
  private boolean isCut;

  private CutShort() {}

  /** Stands before Vert.x on a connection that was opened just now. */
  static void watch(HttpConnection opened) {
    if (opened instanceof ConnectionBase connection) {
      ChannelHandlerContext vertx = connection.channelHandlerContext();
      if (vertx.pipeline().get(HttpClientCodec.class) != null
          && vertx.pipeline().get(SslHandler.class) != null) {
        vertx.pipeline().addBefore(vertx.name(), "cut short", new CutShort());
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
