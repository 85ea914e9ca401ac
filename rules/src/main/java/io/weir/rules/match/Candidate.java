package io.weir.rules.match;

import java.util.ArrayList;
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
    if (left.size() == 1) {
      return new Candidate(order, List.of());
    }
    List<Condition> others = new ArrayList<>(left.size() - 1);
    for (Condition condition : left) {
      if (condition != decided) {
        others.add(condition);
      }
    }
    return new Candidate(order, others);
  }
}
