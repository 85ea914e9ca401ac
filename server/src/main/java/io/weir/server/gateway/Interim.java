package io.weir.server.gateway;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * Skips what a server of HTTP/1.1 may say before its response and nobody here understands, such as
 * {@code 102 Processing}. Vert.x would take it for the response, and the response for one that
 * nobody has asked for.
 */
final class Interim extends ChannelInboundHandlerAdapter {
  private boolean isSkipping;

  private Interim() {}

  /** Stands before Vert.x on a connection that was opened just now. */
  static void watch(HttpConnection opened) {
    if (opened instanceof ConnectionBase connection) {
      ChannelHandlerContext vertx = connection.channelHandlerContext();
      if (vertx.pipeline().get(HttpClientCodec.class) != null) {
        vertx.pipeline().addBefore(vertx.name(), "interim", new Interim());
      }
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpResponse response) {
      isSkipping = isUnknown(response.status().code());
    }
    if (isSkipping) {
      isSkipping = !(message instanceof LastHttpContent);
      ReferenceCountUtil.release(message);
    } else {
      ctx.fireChannelRead(message);
    }
  }

  private static boolean isUnknown(int status) {
    return status > 100 && status < 200 && status != 101 && status != 103;
  }
}
