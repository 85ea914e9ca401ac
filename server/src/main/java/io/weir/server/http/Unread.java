package io.weir.server.http;

import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.VertxConnection;

/**
 * What a connection had read, and nobody had taken, when it was closed. Vert.x 5.0 keeps it while a
 * reader pauses, and forgets to give its memory back: whoever leaves at the right moment would cost
 * some memory for ever.
 */
public final class Unread {
  /**
   * Each time everything is handed on up to the next reader that pauses. One read may bring some
   * thousand requests.
   */
  private static final int TIMES = 4096;

  private Unread() {}

  /** Hands it on to whoever paused, which copies it; nobody is there to see. On its event loop. */
  public static void release(HttpConnection closed) {
    if (closed instanceof VertxConnection connection) {
      for (int i = 0; i < TIMES; i++) {
        connection.doResume(); // does nothing if nobody pauses
      }
    }
  }
}
