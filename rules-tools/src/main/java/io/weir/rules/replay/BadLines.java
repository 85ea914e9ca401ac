package io.weir.rules.replay;

import java.util.List;

/**
 * Lines of a trace that rules could not be applied to.
 *
 * @param count how many
 * @param first the first few of them, by line
 */
public record BadLines(long count, List<BadLine> first) {
  /** How many are kept. */
  public static final int NAMED = 10;

  /** Copies the list. */
  public BadLines {
    first = List.copyOf(first);
  }
}
