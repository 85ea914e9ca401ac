package io.weir.cli;

import java.io.FileInputStream;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;

/**
 * The signals that a server listens to. SIGHUP asks it to reload. SIGTERM and SIGINT ask it to end:
 * the first is handed to the thread that waits; the second ends the process at once.
 *
 * <p>By this class of the JDK, since a shutdown hook cannot choose the exit code, and runs beside
 * that of the logging, which then says nothing more.
 *
 * <p>SIGHUP also comes when a terminal is closed. A server that was started in it and not put aside
 * ({@code nohup}, {@code setsid}) ends then, in an orderly way, as its user expects.
 */
final class Signals {
  private static final int OFFSET = 128; // of an exit code by which a shell knows a signal

  private final CountDownLatch first = new CountDownLatch(1);
  private final boolean hadTerminal = hasTerminal();
  private volatile String name = "";

  // Guarded by this.
  private @Nullable Runnable reload;
  private boolean isReloadMissed;

  private Signals() {}

  /** From now on SIGHUP does not end the process; it is remembered until something reloads. */
  static Signals catchHangups() {
    Signals signals = new Signals();
    handle("HUP", signal -> signals.hungUp());
    return signals;
  }

  /** From now on SIGTERM and SIGINT end it in an orderly way. */
  void catchEnds() {
    for (String each : List.of("TERM", "INT")) {
      handle(each, this::caught);
    }
  }

  private static void handle(String name, sun.misc.SignalHandler handler) {
    try {
      Signal.handle(new Signal(name), handler);
    } catch (IllegalArgumentException e) {
      // Not on this system, or taken by the virtual machine (-Xrs): it does what it does.
    }
  }

  /** Runs {@code action} at each SIGHUP, and at once if one came before; it must not block. */
  void onHangup(Runnable action) {
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

  /** Waits for the first that asks for the end; its name. */
  String await() throws InterruptedException {
    first.await();
    return name;
  }
}
