package io.weir.cli.serve;

import io.weir.logs.JsonLines;
import io.weir.server.LogFormat;
import io.weir.server.LogLevel;
import java.util.List;
import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/** Configures logging for a service: one line for each record, with the time first. */
public final class LogSetup {
  private static final String CONFIGURATION = "java.util.logging.config.file";
  private static final Logger OURS = Logger.getLogger("io.weir");
  private static final String FORMAT = "java.util.logging.SimpleFormatter.format";

  /** Strong references, because the logging framework drops the level of a logger without one. */
  private static List<Logger> silenced = List.of();

  private LogSetup() {}

  /**
   * Silences shutdown noise. Unused connections are closed together with the event loops, and
   * Vert.x logs an error for each. A client that connects while a port is being closed is refused
   * with a stack trace.
   */
  public static void lastOnes() {
    silenced =
        Stream.of("io.netty.util.concurrent.DefaultPromise", "io.netty.bootstrap.ServerBootstrap")
            .map(Logger::getLogger)
            .toList();
    silenced.forEach(logger -> logger.setLevel(Level.OFF));
  }

  /**
   * Logs only records of at least {@code level} from now on, unless a file configures logging.
   * Debug records of Weir come without those of the libraries.
   */
  public static void from(LogLevel level) {
    if (System.getProperty(CONFIGURATION) != null) {
      return;
    }
    Level minLevel =
        switch (level) {
          case DEBUG -> Level.FINE;
          case INFO -> Level.INFO;
          case WARN -> Level.WARNING;
          case ERROR -> Level.SEVERE;
        };
    // Not the level of the root logger: MemoryExhaustion reads all records.
    OURS.setLevel(level == LogLevel.DEBUG ? minLevel : Level.INFO);
    for (Handler handler : Logger.getLogger("").getHandlers()) {
      if (handler instanceof ConsoleHandler) {
        handler.setLevel(minLevel);
      }
    }
  }

  /** Sets the format, unless another formatter is configured. */
  public static void oneEach(LogFormat format) {
    if (System.getProperty(FORMAT) == null && System.getProperty(CONFIGURATION) == null) {
      System.setProperty(FORMAT, "%1$tFT%1$tT.%1$tL%1$tz %4$s %5$s%6$s%n");
      if (format == LogFormat.JSON) {
        for (Handler handler : Logger.getLogger("").getHandlers()) {
          handler.setFormatter(new JsonLines());
        }
      }
    }
    // Nothing else logs in this process, so there is no framework to look for.
    System.setProperty(
        "vertx.logger-delegate-factory-class-name", "io.vertx.core.logging.JULLogDelegateFactory");
  }
}
