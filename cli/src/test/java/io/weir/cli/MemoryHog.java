package io.weir.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * {@code weir serve}, and in the same process something that keeps all memory, once a byte comes
 * in: a property says what becomes of the error.
 */
final class MemoryHog {
  private static final List<byte[]> KEPT = new ArrayList<>();

  private MemoryHog() {}

  public static void main(String[] args) {
    String error = System.getProperty("exhausting.error");
    new Thread(() -> exhaust(error)).start();
    Main.main(args);
  }

  @SuppressWarnings("ThreadPriorityCheck")
  private static void exhaust(String error) {
    try {
      if (System.in.read() < 0) { // the test has gone
        return;
      }
      while (true) {
        KEPT.add(new byte[10_000]);
      }
    } catch (OutOfMemoryError e) {
      switch (error) {
        case "thrown" -> throw e;
        case "logged" -> {
          KEPT.subList(0, KEPT.size() / 2).clear(); // or nothing could be logged
          Logger.getLogger("io.netty.some").log(Level.WARNING, "a task failed", e);
        }
        case "swallowed" -> {
          while (true) {
            fill();
            Thread.yield();
          }
        }
        default -> throw new IllegalArgumentException(error);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void fill() {
    try {
      while (true) {
        KEPT.add(new byte[10_000]);
      }
    } catch (OutOfMemoryError e) {
      // like code that catches everything
    }
  }
}
