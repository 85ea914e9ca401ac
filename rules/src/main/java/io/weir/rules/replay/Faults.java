package io.weir.rules.replay;

import java.util.List;

/**
 * Lines of a trace that rules could not be applied to.
 *
 * @param count how many
 * @param first the first few of them, by line
 */
public record Faults(long count, List<Fault> first) {
  /** How many are kept. */
  public static final int NAMED = 10;

  /** Copies the list. */
  public Faults {
    first = List.copyOf(first);
  }
}
