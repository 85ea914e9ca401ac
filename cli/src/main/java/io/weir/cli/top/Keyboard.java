package io.weir.cli.top;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a terminal sends, as keys. Arrows are sequences that begin with the byte of Esc: what
 * belongs to one comes along with it, so that an Esc that nothing follows at once is the key
 * itself, and what is pressed after it is a key of its own.
 */
final class Keyboard {
  private static final int ESC = 27;
  private static final int NOTHING = -1;
  private static final long AT_ONCE = TimeUnit.MILLISECONDS.toNanos(100); // from far away, too

  private final InputStream in;
  private final Consumer<Key> pressed;

  Keyboard(InputStream in, Consumer<Key> pressed) {
    this.in = in;
    this.pressed = pressed;
  }

  /** Tells of keys until there is no more to come. */
  void read() throws IOException, InterruptedException {
    for (int c = in.read(); c >= 0; c = in.read()) {
      while (c == ESC) {
        c = afterEscape();
      }
      tell(letter(c));
    }
  }

  /** What follows an Esc and is no part of a sequence. */
  private int afterEscape() throws IOException, InterruptedException {
    int next = next();
    if (next != '[' && next != 'O') {
      tell(Key.BACK);
      return next;
    }
    int last = next();
    while (next == '[' && last >= ' ' && last < '@') { // numbers, as of an arrow with Ctrl
      last = next();
    }
    tell(arrow(last));
    return NOTHING;
  }

  /** The byte that comes at once. */
  private int next() throws IOException, InterruptedException {
    long end = System.nanoTime() + AT_ONCE;
    while (in.available() == 0) {
      if (System.nanoTime() - end > 0) {
        return NOTHING;
      }
      Thread.sleep(2);
    }
    return in.read();
  }

  private void tell(@Nullable Key key) {
    if (key != null) {
      pressed.accept(key);
    }
  }

  private static @Nullable Key letter(int c) {
    return switch (c) {
      case 'q', 'Q', 4 -> Key.QUIT;
      case 's', 'S' -> Key.SORT;
      case 'r', 'R' -> Key.RULE;
      case '\n', '\r' -> Key.ENTER;
      case '\t' -> Key.TAB;
      case 'x', 'X' -> Key.RESET;
      case 'g', 'G' -> Key.GRANT;
      case 'k' -> Key.UP;
      case 'j' -> Key.DOWN;
      default -> null;
    };
  }

  private static @Nullable Key arrow(int c) {
    return switch (c) {
      case 'A' -> Key.UP;
      case 'B' -> Key.DOWN;
      case 'C' -> Key.RIGHT;
      case 'D' -> Key.LEFT;
      default -> null;
    };
  }
}
