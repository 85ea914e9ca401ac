package io.weir.redis;

import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Suppresses log lines of Lettuce that the user did not configure.
 *
 * <p>Without a logging framework, Lettuce falls back to {@code java.util.logging}, which prints
 * INFO to the standard error by default. Only then, and only without an explicit level for it, its
 * loggers are limited to severe errors; the store reports all other problems itself, once. Any
 * other logging belongs to the application.
 */
final class LettuceLogs {
  /**
   * A strong reference, because the logging framework forgets the levels of unreferenced loggers.
   */
  private static final Logger LETTUCE = Logger.getLogger("io.lettuce");

  private LettuceLogs() {}

  static void hush() {
    boolean configured =
        System.getProperty("java.util.logging.config.file") != null
            || System.getProperty("java.util.logging.config.class") != null;
    if (!configured && LETTUCE.getLevel() == null) {
      LETTUCE.setLevel(Level.SEVERE);
    }
  }
}
