package io.weir.server.http;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Filter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps strangers from filling the log. Netty writes a line for each frame that comes after a
 * stream was reset. And where a caller closes the connection before it has taken its answers,
 * Vert.x 5.0 trips over its own feet for each answer with trailers: the stream is closed all the
 * same, but Netty logs what was thrown. Vert.x itself has a line for each connection that breaks;
 * of those a line a minute is enough.
 *
 * <p>Only where nobody has set up the logging, or a level for it.
 */
final class NettyLogs {
  /** Held, because the logging forgets the level of a logger that nobody holds. */
  private static final Logger FRAMES =
      Logger.getLogger("io.netty.handler.codec.http2.DefaultHttp2ConnectionDecoder");

  private static final Logger STREAMS =
      Logger.getLogger("io.netty.handler.codec.http2.DefaultHttp2Connection");

  /** Where Vert.x writes a line for each thing that a stranger breaks. */
  private static final List<Logger> RARELY =
      Stream.of(
              "io.vertx.core.impl.ContextImpl",
              "io.vertx.core.net.impl.ConnectionBase",
              "io.vertx.core.http.impl.HttpClientRequestImpl",
              "io.vertx.core.http.impl.HttpClientResponseImpl")
          .map(Logger::getLogger)
          .toList();

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
    for (Logger each : RARELY) {
      if (!isConfigured && each.getFilter() == null) {
        each.setFilter(new OnceAMinute());
      }
    }
  }

  /** Lets a line through only if there was none for a minute. */
  private static final class OnceAMinute implements Filter {
    private static final long NANOS = 60_000_000_000L;

    private final AtomicLong next = new AtomicLong(System.nanoTime());

    @Override
    public boolean isLoggable(LogRecord line) {
      if (line.getThrown() instanceof VirtualMachineError) { // no stranger's doing, and the end
        return true;
      }
      long now = System.nanoTime();
      long due = next.get();
      return now - due >= 0 && next.compareAndSet(due, now + NANOS);
    }
  }

  private static boolean isOfTrailers(@Nullable Throwable thrown) {
    StackTraceElement[] stack = thrown == null ? new StackTraceElement[0] : thrown.getStackTrace();
    return thrown instanceof NullPointerException
        && stack.length > 0
        && stack[0].getClassName().startsWith("io.vertx.core.http.impl.VertxHttp2Stream");
  }
}
