package io.weir.server.http;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Keeps strangers from filling the log. Netty writes a line for each frame that comes after a
 * stream was reset. And where a caller closes the connection before it has taken its answers,
 * Vert.x 5.0 trips over its own feet for each answer with trailers: the stream is closed all the
 * same, but Netty logs what was thrown.
 *
 * <p>Only where nobody has set up the logging, or a level for it.
 */
final class NettyLogs {
  /** Held, because the logging forgets the level of a logger that nobody holds. */
  private static final Logger FRAMES =
      Logger.getLogger("io.netty.handler.codec.http2.DefaultHttp2ConnectionDecoder");

  private static final Logger STREAMS =
      Logger.getLogger("io.netty.handler.codec.http2.DefaultHttp2Connection");

  private NettyLogs() {}

  static void hush() {
    boolean isConfigured =
        System.getProperty("java.util.logging.config.file") != null
            || System.getProperty("java.util.logging.config.class") != null;
    if (!isConfigured && FRAMES.getLevel() == null) {
      FRAMES.setLevel(Level.WARNING);
    }
    if (!isConfigured && STREAMS.getFilter() == null) {
      STREAMS.setFilter(line -> !isOfTrailers(line.getThrown()));
    }
  }

  private static boolean isOfTrailers(@Nullable Throwable thrown) {
    StackTraceElement[] stack = thrown == null ? new StackTraceElement[0] : thrown.getStackTrace();
    return thrown instanceof NullPointerException
        && stack.length > 0
        && stack[0].getClassName().startsWith("io.vertx.core.http.impl.VertxHttp2Stream");
  }
}
