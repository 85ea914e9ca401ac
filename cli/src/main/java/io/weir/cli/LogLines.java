package io.weir.cli;

import io.weir.logs.JsonLines;
import io.weir.server.LogFormat;
import io.weir.server.LogLevel;
import java.util.List;
import java.util.logging.ConsoleHandler;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/** Log lines as a service writes them: one line each, with the time first. */
final class LogLines {
  private static final String CONFIGURATION = "java.util.logging.config.file";
  private static final Logger OURS = Logger.getLogger("io.weir");
  private static final String FORMAT = "java.util.logging.SimpleFormatter.format";

  /** Held, because the logging forgets the level of a logger that nobody holds. */
  private static List<Logger> silenced = List.of();

  private LogLines() {}

  /**
   * The process is about to end. Connections that nobody has used are closed together with the
   * event loops, of which Vert.x complains to loops that are gone; and whoever connects in the very
   * moment in which a port is closed is turned away with a stack trace.
   */
  static void lastOnes() {
    silenced =
        Stream.of("io.netty.util.concurrent.DefaultPromise", "io.netty.bootstrap.ServerBootstrap")
            .map(Logger::getLogger)
            .toList();
    silenced.forEach(logger -> logger.setLevel(Level.OFF));
  }

  /**
   * Logs only what is as grave as {@code level} from now on, unless a file sets up the logging.
   * What Weir logs to find mistakes in it comes without that of the libraries.
   */
  static void from(LogLevel level) {
    if (System.getProperty(CONFIGURATION) != null) {
      return;
    }
    Level least =
        switch (level) {
          case DEBUG -> Level.FINE;
          case INFO -> Level.INFO;
          case WARN -> Level.WARNING;
          case ERROR -> Level.SEVERE;
        };
    // Not the level of the root: MemoryExhaustion looks at all that is logged.
    OURS.setLevel(level == LogLevel.DEBUG ? least : Level.INFO);
    for (Handler handler : Logger.getLogger("").getHandlers()) {
      if (handler instanceof ConsoleHandler) {
        handler.setLevel(least);
      }
    }
  }

  /** Unless somebody has chosen a form of another kind. */
  static void oneEach(LogFormat format) {
    if (System.getProperty(FORMAT) == null && System.getProperty(CONFIGURATION) == null) {
      System.setProperty(FORMAT, "%1$tFT%1$tT.%1$tL%1$tz %4$s %5$s%6$s%n");
      if (format == LogFormat.JSON) {
        for (Handler handler : Logger.getLogger("").getHandlers()) {
          handler.setFormatter(new JsonLines());
        }
      }
    }
    // Nobody else logs here: nothing needs to be looked for.
    System.setProperty(
        "vertx.logger-delegate-factory-class-name", "io.vertx.core.logging.JULLogDelegateFactory");
  }
}
