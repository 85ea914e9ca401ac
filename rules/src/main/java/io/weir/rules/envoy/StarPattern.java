package io.weir.rules.envoy;

import java.util.ArrayList;
import java.util.List;

/**
 * A text in which each {@code *} matches any text, also the empty one: {@code foo*bar*}.
 *
 * <p>A value matches if it begins with the first piece, ends with the last, and contains the others
 * in between in order, each searched from the left. The leftmost match leaves the most room for the
 * rest, so no backtracking is needed.
 */
final class StarPattern {
  private final String first;
  private final List<String> middle;
  private final String last;
  private final boolean hasStar;

  StarPattern(String text) {
    List<String> pieces = pieces(text);
    this.hasStar = pieces.size() > 1;
    this.first = pieces.get(0);
    this.last = pieces.get(pieces.size() - 1);
    this.middle = hasStar ? List.copyOf(pieces.subList(1, pieces.size() - 1)) : List.of();
  }

  private static List<String> pieces(String text) {
    List<String> pieces = new ArrayList<>();
    int from = 0;
    for (int star = text.indexOf('*'); star >= 0; star = text.indexOf('*', from)) {
      pieces.add(text.substring(from, star));
      from = star + 1;
    }
    pieces.add(text.substring(from));
    return pieces;
  }

  boolean matches(String value) {
    if (!hasStar) {
      return value.equals(first);
    }
    int end = value.length() - last.length();
    if (end < first.length() || !value.startsWith(first) || !value.endsWith(last)) {
      return false;
    }
    int from = first.length();
    for (String piece : middle) {
      int found = value.indexOf(piece, from);
      if (found < 0 || found + piece.length() > end) {
        return false;
      }
      from = found + piece.length();
    }
    return true;
  }
}
