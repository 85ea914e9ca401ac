package io.weir.cli.top;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * A terminal that shows one screen and is restored afterwards. Uses {@code stty} and the control
 * sequences that all current terminals support; a library would do no more here.
 *
 * <p>The terminal is restored when the process ends in whatever way, and while it is stopped
 * (Ctrl-Z). When continued, the process takes the terminal again once it is in the foreground.
 */
final class Terminal implements AutoCloseable {
  private static final String ENTER = "\u001b[?1049h\u001b[?25l";
  private static final String LEAVE = "\u001b[0m\u001b[?25h\u001b[?1049l";
  private static final int[] USUAL = {80, 24};
  private static final long AWHILE_MILLIS = 200;

  private final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
  private final BlockingQueue<KeyPress> keys = new LinkedBlockingQueue<>();
  private final String before;
  private volatile int[] size = USUAL;
  private List<String> shown = List.of();
  private boolean isTaken;
  private boolean isInDoubt; // whether the terminal may have been changed since it was taken
  private boolean isStopped;
  private boolean isClosed;

  private Terminal(String before) {
    this.before = before;
  }

  /** Takes the terminal; null if that is not possible. */
  static @Nullable Terminal open() throws InterruptedException {
    String before = Stty.isThere() ? Stty.settings() : null;
    if (before == null) {
      return null;
    }
    Terminal terminal = new Terminal(before);
    // The terminal is restored whatever ends the process.
    Runtime.getRuntime().addShutdownHook(new Thread(terminal::close, "weir-terminal"));
    on("WINCH", resized -> terminal.keys.add(KeyPress.RESIZED));
    on("TSTP", stop -> terminal.stop());
    on("CONT", continued -> terminal.doubt());
    on("TTIN", SignalHandler.SIG_IGN); // a background read fails and does not stop it
    terminal.take();
    Thread reader = new Thread(terminal::read, "weir-keys");
    reader.setDaemon(true);
    reader.start();
    return terminal;
  }

  private static void on(String signal, SignalHandler handler) {
    try {
      Signal.handle(new Signal(signal), handler);
    } catch (IllegalArgumentException e) {
      // The system does not have this signal; for example, the size then stays unchanged.
    }
  }

  int width() {
    return size[0];
  }

  int height() {
    return size[1];
  }

  /**
   * Draws all lines in one write over the old ones: nothing is cleared, so nothing flickers. Does
   * nothing while the process is in the background.
   */
  synchronized void draw(List<String> lines) throws InterruptedException {
    if (take() && !lines.equals(shown)) {
      out.print("\u001b[H" + String.join("\u001b[K\r\n", lines) + "\u001b[K\u001b[J");
      out.flush();
      shown = lines;
    }
  }

  /** The key pressed within that time; null if there is none. */
  @Nullable KeyPress key(long millis) throws InterruptedException {
    KeyPress keyPress = keys.poll(millis, TimeUnit.MILLISECONDS);
    if (keyPress == KeyPress.RESIZED) {
      while (keys.peek() == KeyPress.RESIZED) { // resizing a window happens in many steps
        keys.remove();
      }
      measure();
    }
    return keyPress;
  }

  /** Makes {@link #key} return, because there is something new to show. */
  void wake() {
    keys.add(KeyPress.NEWS);
  }

  private synchronized void measure() throws InterruptedException {
    int[] found = Stty.size();
    size = found == null ? USUAL : found;
    shown = List.of();
  }

  private void read() {
    Keyboard keyboard = new Keyboard(System.in, keys::add);
    try {
      while (true) {
        try {
          keyboard.read();
          break;
        } catch (IOException e) {
          if (Stty.isOurTurn()) {
            break;
          }
          Thread.sleep(AWHILE_MILLIS); // another process reads the keyboard now
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    keys.add(KeyPress.QUIT); // no further key can arrive
  }

  /** Takes the terminal; returns whether it is taken. */
  private synchronized boolean take() throws InterruptedException {
    boolean isHeld = isTaken && !isInDoubt;
    if (!isHeld && !isStopped && !isClosed && Stty.isOurTurn()) {
      isTaken = true;
      isInDoubt = false;
      Stty.setRaw();
      out.print(ENTER);
      out.flush();
      measure();
    }
    return isTaken && !isInDoubt;
  }

  /** Restores the terminal, unless the shell already uses it and has set it itself. */
  private synchronized void giveBack() throws InterruptedException {
    if (isTaken) {
      isTaken = false;
      out.print(LEAVE);
      out.flush();
      if (Stty.isOurTurn()) {
        Stty.set(before);
      }
    }
  }

  /** Handles Ctrl-Z like other programs, after the terminal is restored. */
  private void stop() {
    try {
      synchronized (this) {
        isStopped = true;
        giveBack();
      }
      Stty.stop();
      synchronized (this) {
        isStopped = false;
      }
      keys.add(KeyPress.RESIZED);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Records that the process was stopped, and that others may have changed the terminal meanwhile.
   */
  private synchronized void doubt() {
    isInDoubt = true;
    keys.add(KeyPress.RESIZED);
  }

  /** Restores the terminal. */
  @Override
  public synchronized void close() {
    isClosed = true;
    try {
      giveBack();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
