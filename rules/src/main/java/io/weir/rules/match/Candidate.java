package io.weir.rules.match;

import java.util.ArrayList;
import java.util.List;

/**
 * An entry on its way to its place in the tree.
 *
 * @param order its position among the entries
 * @param left the conditions that the path so far has not tested
 */
record Candidate(int order, List<Condition> left) {
  /** The same candidate, one level down. */
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
