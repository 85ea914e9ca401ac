package io.weir.server.door;

import io.vertx.core.http.HttpConnection;
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

  /** Closes it now, and drops what it has not taken. */
  public static void now(HttpConnection connection) {
    if (connection instanceof ConnectionBase base) {
      base.channelHandlerContext().close(); // from below Vert.x's own handler, which would wait
    } else {
      connection.close();
    }
  }
}
