package io.weir.server.gateway.http1;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;

/**
 * Detects truncated responses over TLS. A body without a length ends when the connection closes.
 * Over TLS, the server sends a close_notify first; without it, anyone on the network path may have
 * cut the connection, and half a body would pass for a whole one. Then this handler drops the end
 * of message that the codec makes up, and Vert.x sees an aborted response.
 */
final class TlsTruncationCheck extends ChannelInboundHandlerAdapter {
  private boolean isCut;

  private TlsTruncationCheck() {}

  /** Installs this before Vert.x's handler on a new HTTP/1.1 connection. */
  static void addBefore(ChannelHandlerContext vertx) {
    if (vertx.pipeline().get(SslHandler.class) != null) {
      vertx.pipeline().addBefore(vertx.name(), "cut short", new TlsTruncationCheck());
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
