package io.weir.cli;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import sun.misc.Signal;

/**
 * The signals that ask a process to end. The first is told to whoever waits; the second ends the
 * process at once.
 *
 * <p>By this class of the JDK, since a shutdown hook cannot choose the exit code, and runs beside
 * that of the logging, which then says nothing more. A terminal that is closed is a signal too.
 */
final class Signals {
  private static final int OFFSET = 128; // of an exit code by which a shell knows a signal

  private final CountDownLatch first = new CountDownLatch(1);
  private volatile String name = "";

  private Signals() {}

  static Signals catchAll() {
    Signals signals = new Signals();
    for (String each : List.of("TERM", "INT", "HUP")) {
      try {
        Signal.handle(new Signal(each), signals::caught);
      } catch (IllegalArgumentException e) {
        // Not on this system, or taken by the virtual machine (-Xrs): it ends the process by
        // itself.
      }
    }
    return signals;
  }

  private synchronized void caught(Signal signal) {
    if (first.getCount() == 0) {
      Runtime.getRuntime().halt(OFFSET + signal.getNumber());
    }
    name = "SIG" + signal.getName();
    first.countDown();
  }

  /** Waits for the first; its name. */
  String await() throws InterruptedException {
    first.await();
    return name;
  }
}
