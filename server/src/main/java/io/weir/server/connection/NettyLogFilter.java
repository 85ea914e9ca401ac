package io.weir.server.connection;

import io.weir.logs.OncePerMinute;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps clients from flooding the log. Netty logs a line for each frame received after a stream was
 * reset. If a client closes the connection before it has read its responses, Vert.x 5.0 throws a
 * NullPointerException for each response with trailers. The stream is closed correctly, but Netty
 * logs the exception. Vert.x itself logs a line for each broken connection; these are limited to
 * one a minute.
 *
 * <p>Changes nothing if logging, or the level of such a logger, has been configured.
 */
public final class NettyLogFilter {
  /** A strong reference, because a logger that is garbage collected loses its level. */
  private static final Logger FRAMES =
      Logger.getLogger("io.netty.handler.codec.http2.DefaultHttp2ConnectionDecoder");

  private static final Logger STREAMS =
      Logger.getLogger("io.netty.handler.codec.http2.DefaultHttp2Connection");

  /** The loggers to which Vert.x writes a line for each broken connection. */
  private static final List<Logger> RARELY =
      Stream.of(
              "io.vertx.core.impl.ContextImpl",
              "io.vertx.core.net.impl.ConnectionBase",
              "io.vertx.core.http.impl.HttpClientRequestImpl",
              "io.vertx.core.http.impl.HttpClientResponseImpl")
          .map(Logger::getLogger)
          .toList();

  private NettyLogFilter() {}

  public static void install() {
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
        OncePerMinute oncePerMinute = new OncePerMinute();
        each.setFilter(
            line ->
                line.getThrown() instanceof VirtualMachineError // fatal, and not a client's doing
                    || oncePerMinute.isDue());
      }
    }
  }

  private static boolean isOfTrailers(@Nullable Throwable thrown) {
    StackTraceElement[] stack = thrown == null ? new StackTraceElement[0] : thrown.getStackTrace();
    return thrown instanceof NullPointerException
        && stack.length > 0
        && stack[0].getClassName().startsWith("io.vertx.core.http.impl.VertxHttp2Stream");
  }
}
