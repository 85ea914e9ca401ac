package io.weir.rules.match;

import java.util.List;

/**
 * An entry on its way to its place in the tree.
 *
 * @param order its place in the order of entries
 * @param left the conditions that the way so far has not decided
 */
record Candidate(int order, List<Condition> left) {
  /** The same, one level down. */
  Candidate without(Condition decided) {
    return new Candidate(order, left.stream().filter(condition -> condition != decided).toList());
  }
}
