package io.weir.server.connection;

import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.VertxConnection;

/**
 * Releases input that a closed connection had read but not consumed. While a reader is paused,
 * Vert.x 5.0 queues its input, and does not release it when the connection closes. A client that
 * disconnects at the right moment would leak memory.
 */
public final class UnreadData {
  /**
   * Each call passes on the input up to the next paused reader. One read can bring some thousand
   * requests.
   */
  private static final int TIMES = 4096;

  private UnreadData() {}

  /**
   * Passes the input to the paused readers, which copy and discard it. Called on the event loop.
   */
  public static void release(HttpConnection closed) {
    if (closed instanceof VertxConnection connection) {
      for (int i = 0; i < TIMES; i++) {
        connection.doResume(); // does nothing if no reader is paused
      }
    }
  }
}
