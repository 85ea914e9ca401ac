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
 * A terminal that shows one screen, and gives it back as it was: by {@code stty} and the sequences
 * that all terminals of today know, which is all that a library would do here.
 *
 * <p>It is given back when the process ends, in whatever way, and while it is stopped (Ctrl-Z).
 * Continued, it takes the terminal again as soon as that is its to use.
 */
final class Terminal implements AutoCloseable {
  private static final String ENTER = "\u001b[?1049h\u001b[?25l";
  private static final String LEAVE = "\u001b[0m\u001b[?25h\u001b[?1049l";
  private static final int[] USUAL = {80, 24};
  private static final long AWHILE_MILLIS = 200;

  private final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
  private final BlockingQueue<Key> keys = new LinkedBlockingQueue<>();
  private final String before;
  private volatile int[] size = USUAL;
  private List<String> shown = List.of();
  private boolean isTaken;
  private boolean isInDoubt; // whether it is still as it was taken
  private boolean isStopped;
  private boolean isClosed;

  private Terminal(String before) {
    this.before = before;
  }

  /** Takes the terminal; null if there is none that can be taken. */
  static @Nullable Terminal open() throws InterruptedException {
    String before = Stty.isThere() ? Stty.settings() : null;
    if (before == null) {
      return null;
    }
    Terminal terminal = new Terminal(before);
    // Whatever ends the process, the terminal is given back.
    Runtime.getRuntime().addShutdownHook(new Thread(terminal::close, "weir-terminal"));
    on("WINCH", resized -> terminal.keys.add(Key.RESIZED));
    on("TSTP", stop -> terminal.stop());
    on("CONT", continued -> terminal.doubt());
    on("TTIN", SignalHandler.SIG_IGN); // who may not read is told so, and need not be stopped
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
      // Not on this system: the size stays as it is, say.
    }
  }

  int width() {
    return size[0];
  }

  int height() {
    return size[1];
  }

  /**
   * Draws all of it in one go, over what was there: nothing is cleared, so nothing flickers. Does
   * nothing while others use the terminal.
   */
  synchronized void draw(List<String> lines) throws InterruptedException {
    if (take() && !lines.equals(shown)) {
      out.print("\u001b[H" + String.join("\u001b[K\r\n", lines) + "\u001b[K\u001b[J");
      out.flush();
      shown = lines;
    }
  }

  /** What is pressed within that time; null if nothing is. */
  @Nullable Key key(long millis) throws InterruptedException {
    Key key = keys.poll(millis, TimeUnit.MILLISECONDS);
    if (key == Key.RESIZED) {
      while (keys.peek() == Key.RESIZED) { // a window is drawn larger in many steps
        keys.remove();
      }
      measure();
    }
    return key;
  }

  /** There is something new to show: {@link #key} tells. */
  void wake() {
    keys.add(Key.NEWS);
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
          Thread.sleep(AWHILE_MILLIS); // others read what is pressed now
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    keys.add(Key.QUIT); // nobody can press anything any more
  }

  /** Whether it is taken now, or was. */
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

  /** The shell sets the terminal for itself, if it uses it already. */
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

  /** Ctrl-Z: as other programs do, but not before the terminal is given back. */
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
      keys.add(Key.RESIZED);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** It was stopped, maybe in another way, and others may have set the terminal meanwhile. */
  private synchronized void doubt() {
    isInDoubt = true;
    keys.add(Key.RESIZED);
  }

  /** Gives it back. */
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
