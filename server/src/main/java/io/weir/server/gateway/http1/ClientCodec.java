package io.weir.server.gateway.http1;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.CombinedChannelDuplexHandler;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * The codec of an HTTP/1.1 connection of Vert.x's client, in place of Netty's {@link
 * HttpClientCodec}.
 *
 * <p>Netty's codec compares whole header names, so CVE-2026-102479 does not concern it. But it
 * accepts malformed heads that {@link ResponseReader} rejects, and skips control characters before
 * a head. With this codec, responses over TLS and those to upgrades are read like all others.
 *
 * <p>Not thread-safe: belongs to one connection.
 */
public final class ClientCodec extends CombinedChannelDuplexHandler<ResponseReader, RequestWriter> {
  private final ResponseReader reader;

  ClientCodec(ResponseReader reader) {
    super(reader, new RequestWriter());
    this.reader = reader;
  }

  /**
   * Replaces the codec of a new connection and adds the checks that Vert.x lacks. Does nothing if
   * the connection uses HTTP/2. Called before the first request.
   */
  public static void install(HttpConnection opened) {
    if (opened instanceof ConnectionBase connection) {
      ChannelHandlerContext vertx = connection.channelHandlerContext();
      ChannelPipeline pipeline = vertx.pipeline();
      ChannelHandlerContext netty = pipeline.context(HttpClientCodec.class);
      if (netty != null) {
        // Vert.x removes it by its name after an upgrade
        pipeline.replace(netty.handler(), netty.name(), new ClientCodec(new ResponseReader()));
        InterimResponseFilter.addBefore(vertx);
        TlsTruncationCheck.addBefore(vertx);
      }
    }
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise)
      throws Exception {
    if (message instanceof HttpRequest request) {
      reader.expect(request.method().equals(HttpMethod.HEAD));
    }
    super.write(ctx, message, promise);
  }
}
