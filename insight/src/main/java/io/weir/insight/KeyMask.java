package io.weir.insight;

import io.weir.insight.event.KeyTruncation;
import java.util.ArrayList;
import java.util.List;

/**
 * Shows a key by its ends, {@code ab…9f}: enough to recognise it, but not enough to use it. Each
 * value of a key with several values is masked by itself, {@code al…ce|/o…42}. Values that {@link
 * KeyVisibility} permits are shown as they are.
 *
 * <p>A surrogate pair, or an escaped character with its backslash, is never cut in half. Characters
 * that are invisible or change the text direction become {@code ?}.
 */
final class KeyMask {
  private static final int SHORT = 8;
  private static final int SHOWN = 2;
  private static final int DIGITS = 4;
  private static final String MORE = "…";

  private final CallerKey callerKey;
  private final StringBuilder text = new StringBuilder();
  private final List<String> letters = new ArrayList<>(); // the characters of a value, as shown
  private final StringBuilder value = new StringBuilder();
  private int parts;

  private KeyMask(CallerKey callerKey) {
    this.callerKey = callerKey;
  }

  static String of(CallerKey callerKey) {
    return callerKey.kept().isEmpty()
        ? ""
        : new KeyMask(callerKey).masked(); // one bucket for all callers
  }

  private String masked() {
    String known =
        callerKey.isWhole() ? callerKey.kept() : KeyTruncation.beginning(callerKey.kept());
    for (int at = 0; at < known.length(); ) {
      int letter = known.codePointAt(at);
      int next = at + Character.charCount(letter);
      if (letter == '|') {
        end(false);
        text.append('|');
      } else if (letter == '\\' && next < known.length()) {
        int escaped = known.codePointAt(next);
        next += Character.charCount(escaped);
        letters.add("\\" + shown(escaped));
        value.appendCodePoint(escaped);
      } else {
        letters.add(shown(letter));
        value.appendCodePoint(letter);
      }
      at = next;
    }
    end(!callerKey.isWhole());
    return text.toString();
  }

  /** Ends a value, or the beginning of a key that was too long. */
  private void end(boolean isCut) {
    int size = letters.size();
    if (!isCut && callerKey.visibility().shows(parts, value.toString())) {
      letters.forEach(text::append);
    } else if (size < SHORT) {
      // different digits for each value, so that equal ones do not reveal more
      int from = parts * DIGITS % callerKey.id().length();
      text.append(MORE).append(callerKey.id(), from, from + DIGITS);
    } else {
      text.append(String.join("", letters.subList(0, SHOWN))).append(MORE);
      text.append(isCut ? "" : String.join("", letters.subList(size - SHOWN, size)));
    }
    letters.clear();
    value.setLength(0);
    parts++;
  }

  private static String shown(int letter) {
    return switch (Character.getType(letter)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.UNASSIGNED,
          Character.PRIVATE_USE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          "?";
      default -> Character.toString(letter);
    };
  }
}
