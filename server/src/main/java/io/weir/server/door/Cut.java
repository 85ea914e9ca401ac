package io.weir.server.door;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * Closes connections whose other end does not read.
 *
 * <p>Vert.x closes a connection when all that was written before has gone. To somebody who takes
 * nothing that is never: the connection, its file and its buffers would stay.
 */
@SuppressWarnings("FutureReturnValueIgnored") // nothing follows
public final class Cut {
  private Cut() {}

  /** Closes it now, and drops what its other end does not take at once. */
  public static void now(HttpConnection connection) {
    if (connection instanceof ConnectionBase base) {
      now(base.channelHandlerContext());
    } else {
      connection.close();
    }
  }

  /** The same for a connection that was turned into a plain one. */
  public static void now(NetSocket socket) {
    if (socket instanceof NetSocketInternal base) {
      now(base.channelHandlerContext());
    } else {
      socket.close();
    }
  }

  /** Closes it so that its other end cannot take that for the end of what it was sent. */
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
    vertx.close(); // from below Vert.x's own handler, which would wait
  }

  /** Closes it without asking anybody else who looks after it. */
  static void now(Channel connection) {
    forget(connection);
    connection.unsafe().close(connection.newPromise());
  }

  /** If not even the system could take everything, it need not keep what it took. */
  private static void forget(Channel connection) {
    ChannelOutboundBuffer left = connection.unsafe().outboundBuffer();
    if (connection.isOpen() && left != null && !left.isEmpty()) {
      connection.config().setOption(ChannelOption.SO_LINGER, 0);
    }
  }
}
