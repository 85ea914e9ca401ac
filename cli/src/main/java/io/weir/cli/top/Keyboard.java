package io.weir.cli.top;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Converts terminal input to keys. Arrows are sequences that begin with the byte of Esc, and the
 * bytes of a sequence arrive together. So an Esc without an immediate successor is the key itself,
 * and the next byte is another key.
 */
final class Keyboard {
  private static final int ESC = 27;
  private static final int NOTHING = -1;
  private static final long AT_ONCE = TimeUnit.MILLISECONDS.toNanos(100); // even if slow

  private final InputStream in;
  private final Consumer<KeyPress> pressed;

  Keyboard(InputStream in, Consumer<KeyPress> pressed) {
    this.in = in;
    this.pressed = pressed;
  }

  /** Reports keys until the end of the input. */
  void read() throws IOException, InterruptedException {
    for (int c = in.read(); c >= 0; c = in.read()) {
      while (c == ESC) {
        c = afterEscape();
      }
      report(letter(c));
    }
  }

  /** The byte after an Esc that does not belong to a sequence. */
  private int afterEscape() throws IOException, InterruptedException {
    int next = next();
    if (next != '[' && next != 'O') {
      report(KeyPress.BACK);
      return next;
    }
    int last = next();
    while (next == '[' && last >= ' ' && last < '@') { // numbers, as for an arrow with Ctrl
      last = next();
    }
    report(arrow(last));
    return NOTHING;
  }

  /** The byte that follows at once. */
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

  private void report(@Nullable KeyPress keyPress) {
    if (keyPress != null) {
      pressed.accept(keyPress);
    }
  }

  private static @Nullable KeyPress letter(int c) {
    return switch (c) {
      case 'q', 'Q', 4 -> KeyPress.QUIT;
      case 's', 'S' -> KeyPress.SORT;
      case 'r', 'R' -> KeyPress.RULE;
      case '\n', '\r' -> KeyPress.ENTER;
      case '\t' -> KeyPress.TAB;
      case 'x', 'X' -> KeyPress.RESET;
      case 'g', 'G' -> KeyPress.GRANT;
      case 'k' -> KeyPress.UP;
      case 'j' -> KeyPress.DOWN;
      default -> null;
    };
  }

  private static @Nullable KeyPress arrow(int c) {
    return switch (c) {
      case 'A' -> KeyPress.UP;
      case 'B' -> KeyPress.DOWN;
      case 'C' -> KeyPress.RIGHT;
      case 'D' -> KeyPress.LEFT;
      default -> null;
    };
  }
}
