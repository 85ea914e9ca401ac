package io.weir.server.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * Closes connections without waiting for a peer that does not read.
 *
 * <p>Vert.x closes a connection only after everything written before has been sent. If the peer
 * never reads, that never happens, and the connection keeps its file descriptor and its buffers.
 */
@SuppressWarnings("FutureReturnValueIgnored") // nothing follows
public final class ForceClose {
  private ForceClose() {}

  /** Closes the connection now and drops whatever the peer does not accept at once. */
  public static void now(HttpConnection connection) {
    if (connection instanceof ConnectionBase base) {
      now(base.channelHandlerContext());
    } else {
      connection.close();
    }
  }

  /** Closes an upgraded connection now, like {@link #now(HttpConnection)}. */
  public static void now(NetSocket socket) {
    if (socket instanceof NetSocketInternal base) {
      now(base.channelHandlerContext());
    } else {
      socket.close();
    }
  }

  /**
   * Resets the connection, so that the peer cannot mistake the close for the end of the response.
   */
  public static void reset(HttpConnection connection) {
    if (connection instanceof ConnectionBase base) {
      base.channel().config().setOption(ChannelOption.SO_LINGER, 0);
      now(base.channel());
    } else {
      connection.close();
    }
  }

  private static void now(ChannelHandlerContext vertx) {
    vertx.flush();
    forget(vertx.channel());
    vertx.close(); // starts below Vert.x's handler, which would wait for pending writes
  }

  /** Closes the connection without passing through the other handlers of its pipeline. */
  static void now(Channel connection) {
    forget(connection);
    connection.unsafe().close(connection.newPromise());
  }

  /** If the kernel's send buffer is full, the close discards that buffer as well. */
  private static void forget(Channel connection) {
    ChannelOutboundBuffer left = connection.unsafe().outboundBuffer();
    if (connection.isOpen() && left != null && !left.isEmpty()) {
      connection.config().setOption(ChannelOption.SO_LINGER, 0);
    }
  }
}
