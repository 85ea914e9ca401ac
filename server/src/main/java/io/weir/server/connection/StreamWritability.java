package io.weir.server.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2RemoteFlowController;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * Resumes HTTP/2 streams that were opened while a TLS connection was not writable.
 *
 * <p>With TLS, Netty 4.2 reports a change of writability later, as a task. If a connection becomes
 * unwritable and writable again before that, the flow controller sees no change. A stream that was
 * opened in between stays marked as not writable. Vert.x waits for its mark to change before it
 * sends the first part of a body, so the stream hangs: 64 KiB of responses within one read of the
 * requests are enough.
 *
 * <p>Each change to writable is reported in the end. This handler then has all streams checked.
 */
public final class StreamWritability extends ChannelInboundHandlerAdapter {
  private final Http2RemoteFlowController flow;

  private StreamWritability(Http2RemoteFlowController flow) {
    this.flow = flow;
  }

  /** Watches a new connection, if it uses HTTP/2 and TLS. Called on its event loop. */
  public static void watch(HttpConnection connection) {
    if (connection.isSsl()
        && connection instanceof ConnectionBase base
        && base.channelHandlerContext().handler() instanceof Http2ConnectionHandler http2) {
      ChannelHandlerContext context = base.channelHandlerContext();
      Http2RemoteFlowController flow = http2.encoder().flowController();
      context.pipeline().addAfter(context.name(), null, new StreamWritability(flow));
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) throws Http2Exception {
    if (context.channel().isWritable()) {
      flow.initialWindowSize(flow.initialWindowSize()); // the same size: only checks all streams
    }
    context.fireChannelWritabilityChanged();
  }
}
