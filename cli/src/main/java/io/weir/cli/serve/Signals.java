package io.weir.cli.serve;

import java.io.FileInputStream;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;

/**
 * Handles the signals of a server. SIGHUP reloads. The first SIGTERM or SIGINT is passed to the
 * waiting thread, for a graceful shutdown; the second ends the process at once.
 *
 * <p>Uses an internal class of the JDK, because a shutdown hook cannot choose the exit code, and
 * runs concurrently with that of the logging, which then logs nothing more.
 *
 * <p>SIGHUP also arrives when a terminal is closed. A server that was started in it and not
 * detached ({@code nohup}, {@code setsid}) then shuts down gracefully, as its user expects.
 */
public final class Signals {
  private static final int OFFSET = 128; // a shell adds this to the number of a signal

  private final CountDownLatch first = new CountDownLatch(1);
  private final boolean hadTerminal = hasTerminal();
  private volatile String name = "";

  // Guarded by this.
  private @Nullable Runnable reload;
  private boolean isReloadMissed;

  private Signals() {}

  /** From now on SIGHUP does not end the process; it is remembered until a reload action is set. */
  public static Signals catchHangups() {
    Signals signals = new Signals();
    handle("HUP", signal -> signals.hungUp());
    return signals;
  }

  /** From now on SIGTERM and SIGINT shut the process down gracefully. */
  public void catchEnds() {
    for (String each : List.of("TERM", "INT")) {
      handle(each, this::caught);
    }
  }

  private static void handle(String name, sun.misc.SignalHandler handler) {
    try {
      Signal.handle(new Signal(name), handler);
    } catch (IllegalArgumentException e) {
      // The system does not have this signal, or the JVM uses it (-Xrs): keep the default.
    }
  }

  /** Runs {@code action} at each SIGHUP, and at once if one arrived before; it must not block. */
  public void onHangup(Runnable action) {
    boolean isMissed;
    synchronized (this) {
      reload = action;
      isMissed = isReloadMissed;
      isReloadMissed = false;
    }
    if (isMissed) {
      action.run();
    }
  }

  private void hungUp() {
    if (hadTerminal && !hasTerminal()) {
      end("SIGHUP");
      return;
    }
    Runnable action;
    synchronized (this) {
      action = reload;
      isReloadMissed = action == null;
    }
    if (action != null) {
      action.run();
    }
  }

  /** Whether a terminal controls this process. */
  private static boolean hasTerminal() {
    try (FileInputStream terminal = new FileInputStream("/dev/tty")) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private synchronized void caught(Signal signal) {
    if (first.getCount() == 0) {
      Runtime.getRuntime().halt(OFFSET + signal.getNumber());
    }
    end("SIG" + signal.getName());
  }

  private synchronized void end(String signal) {
    if (first.getCount() > 0) {
      name = signal;
      first.countDown();
    }
  }

  /** Waits for the first signal to end; returns its name. */
  public String await() throws InterruptedException {
    first.await();
    return name;
  }
}
