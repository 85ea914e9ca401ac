package io.weir.cli.top;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sun.misc.Signal;

/**
 * A terminal that shows one screen, and gives it back as it was: by {@code stty} and the sequences
 * that all terminals of today know, which is all that a library would do here.
 */
final class Terminal implements AutoCloseable {
  private static final File TTY = new File("/dev/tty");
  private static final String ENTER = "\u001b[?1049h\u001b[?25l";
  private static final String LEAVE = "\u001b[0m\u001b[?25h\u001b[?1049l";
  private static final int[] USUAL = {80, 24};

  /** What somebody pressed. */
  enum Key {
    UP,
    DOWN,
    LEFT,
    RIGHT,
    QUIT,
    SORT,
    RULE,
    /** The size of the terminal is another: to be drawn again. */
    RESIZED
  }

  private final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
  private final BlockingQueue<Key> keys = new LinkedBlockingQueue<>();
  private final String before;
  private volatile int[] size = USUAL;
  private boolean isClosed;

  private Terminal(String before) {
    this.before = before;
  }

  /** Takes the terminal; null if there is none that can be taken. */
  static @Nullable Terminal open() throws InterruptedException {
    String before = isThere() ? stty("-g") : null;
    if (before == null) {
      return null;
    }
    Terminal terminal = new Terminal(before);
    // Whatever ends the process, the terminal is given back.
    Runtime.getRuntime().addShutdownHook(new Thread(terminal::close, "weir-terminal"));
    stty("-icanon", "-echo", "min", "1", "time", "0");
    terminal.measure();
    try {
      Signal.handle(new Signal("WINCH"), resized -> terminal.keys.add(Key.RESIZED));
    } catch (IllegalArgumentException e) {
      // Not on this system: the size stays as it is.
    }
    terminal.out.print(ENTER);
    terminal.out.flush();
    Thread reader = new Thread(terminal::read, "weir-keys");
    reader.setDaemon(true);
    reader.start();
    return terminal;
  }

  /** Whether one is at both ends. A console of a newer Java may be none. */
  private static boolean isThere() throws InterruptedException {
    try {
      return new ProcessBuilder("sh", "-c", "test -t 0 && test -t 1").inheritIO().start().waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static @Nullable String stty(String... arguments) throws InterruptedException {
    List<String> command = new ArrayList<>(List.of("stty"));
    command.addAll(List.of(arguments));
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectInput(TTY)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return process.waitFor() == 0 ? said.strip() : null;
    } catch (IOException e) {
      return null; // no terminal, or no such program
    }
  }

  private void measure() throws InterruptedException {
    String said = stty("size");
    if (said != null && said.matches("[0-9]+ [0-9]+")) {
      String[] parts = said.split(" ");
      int height = Integer.parseInt(parts[0]);
      int width = Integer.parseInt(parts[1]);
      size = width < 1 || height < 1 ? USUAL : new int[] {width, height};
    }
  }

  int width() {
    return size[0];
  }

  int height() {
    return size[1];
  }

  /** Draws all of it in one go, over what was there: nothing is cleared, so nothing flickers. */
  void draw(List<String> lines) {
    out.print("\u001b[H" + String.join("\u001b[K\r\n", lines) + "\u001b[K\u001b[J");
    out.flush();
  }

  /** What is pressed within that time; null if nothing is. */
  @Nullable Key key(long millis) throws InterruptedException {
    Key key = keys.poll(millis, TimeUnit.MILLISECONDS);
    if (key == Key.RESIZED) {
      measure();
    }
    return key;
  }

  private void read() {
    InputStream in = System.in;
    try {
      for (int c = in.read(); c >= 0; c = in.read()) {
        Key key = c == 27 ? arrow(in) : letter(c);
        if (key != null) {
          keys.add(key);
        }
      }
      keys.add(Key.QUIT); // nobody can press anything any more
    } catch (IOException e) {
      keys.add(Key.QUIT);
    }
  }

  private static @Nullable Key letter(int c) {
    return switch (c) {
      case 'q', 'Q', 4 -> Key.QUIT;
      case 's', 'S' -> Key.SORT;
      case 'r', 'R', '\n', '\r' -> Key.RULE;
      case 'k' -> Key.UP;
      case 'j' -> Key.DOWN;
      default -> null;
    };
  }

  private static @Nullable Key arrow(InputStream in) throws IOException {
    int bracket = in.read();
    if (bracket != '[' && bracket != 'O') {
      return null;
    }
    return switch (in.read()) {
      case 'A' -> Key.UP;
      case 'B' -> Key.DOWN;
      case 'C' -> Key.RIGHT;
      case 'D' -> Key.LEFT;
      default -> null;
    };
  }

  /** Gives it back. */
  @Override
  public synchronized void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    out.print(LEAVE);
    out.flush();
    try {
      stty(before);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
