package io.weir.server.gateway.http1;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;

/**
 * Skips unknown interim responses of HTTP/1.1 servers, such as {@code 102 Processing}. Vert.x would
 * take one for the final response, and the final response for an unsolicited one.
 */
final class InterimResponseFilter extends ChannelInboundHandlerAdapter {
  private boolean isSkipping;

  private InterimResponseFilter() {}

  /** Installs this before Vert.x's handler on a new HTTP/1.1 connection. */
  static void addBefore(ChannelHandlerContext vertx) {
    vertx.pipeline().addBefore(vertx.name(), "interim", new InterimResponseFilter());
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
