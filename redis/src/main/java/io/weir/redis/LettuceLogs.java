package io.weir.redis;

import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Keeps Lettuce from writing lines that nobody asked for.
 *
 * <p>Where the application has set up no logging, Lettuce falls back to {@code java.util.logging},
 * whose default prints INFO to the standard error. Only then, and only if nobody has set a level
 * for it, its loggers are limited to severe errors: of all else we tell ourselves, once. Any other
 * logging is the application's own affair.
 */
final class LettuceLogs {
  /** Held, because the logging forgets the level of a logger that nobody holds. */
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
