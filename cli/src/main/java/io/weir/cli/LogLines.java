package io.weir.cli;

/** Log lines as a service writes them: one line each, with the time first. */
final class LogLines {
  private static final String FORMAT = "java.util.logging.SimpleFormatter.format";

  private LogLines() {}

  /** Unless somebody has chosen a form. */
  static void oneEach() {
    if (System.getProperty(FORMAT) == null
        && System.getProperty("java.util.logging.config.file") == null) {
      System.setProperty(FORMAT, "%1$tFT%1$tT.%1$tL%1$tz %4$s %5$s%6$s%n");
    }
    // Nobody else logs here: nothing needs to be looked for.
    System.setProperty(
        "vertx.logger-delegate-factory-class-name", "io.vertx.core.logging.JULLogDelegateFactory");
  }
}
