package io.weir.rules.match;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Entries that share a place in the tree of a {@link MatchIndex}. */
final class Group {
  /** Greater than any order: no entry found. */
  static final int NONE = Integer.MAX_VALUE;

  private static final Tested[] NO_TESTED = {};
  private static final Branch[] NO_BRANCHES = {};

  private final int[] always;
  private final Tested[] tested;
  private final Branch[] branches;
  private final int minOrder;

  /** An entry with conditions that remain to be tested. */
  record Tested(int order, CompiledCondition[] conditions) {
    boolean holds(AttributeValues attributeValues) {
      for (CompiledCondition condition : conditions) {
        if (!condition.holds(attributeValues)) {
          return false;
        }
      }
      return true;
    }
  }

  /**
   * Creates a group.
   *
   * @param always the entries that match every request that gets here, in order
   * @param tested those that are tested here, in order
   * @param branches lead to all others
   */
  Group(int[] always, List<Tested> tested, List<Branch> branches) {
    this.always = always;
    this.tested = tested.isEmpty() ? NO_TESTED : tested.toArray(Tested[]::new);
    this.branches = branches.isEmpty() ? NO_BRANCHES : branches.toArray(Branch[]::new);
    int minOrder = always.length == 0 ? NONE : always[0];
    for (Tested entry : tested) {
      minOrder = Math.min(minOrder, entry.order());
    }
    for (Branch branch : branches) {
      minOrder = Math.min(minOrder, branch.minOrder());
    }
    this.minOrder = minOrder;
  }

  /** A group of one entry that always matches. */
  static Group of(int order) {
    return new Group(new int[] {order}, List.of(), List.of());
  }

  /** The lowest order of an entry. */
  int minOrder() {
    return minOrder;
  }

  /**
   * Finds matching entries.
   *
   * @param limit only entries before this matter
   * @param all receives all of them; null if only the first is wanted
   * @return the first of them if only that is wanted; {@code limit} if there is none
   */
  int seek(AttributeValues attributeValues, int limit, @Nullable FoundEntries all) {
    int wanted = limit;
    for (int i = 0; i < always.length && always[i] < wanted; i++) {
      wanted = found(always[i], wanted, all);
    }
    for (int i = 0; i < tested.length && tested[i].order < wanted; i++) {
      if (tested[i].holds(attributeValues)) {
        wanted = found(tested[i].order, wanted, all);
      }
    }
    for (Branch branch : branches) {
      if (branch.minOrder() < wanted) {
        wanted = branch.seek(attributeValues, wanted, all);
      }
    }
    return wanted;
  }

  private static int found(int order, int wanted, @Nullable FoundEntries all) {
    if (all == null) {
      return order;
    }
    all.add(order);
    return wanted;
  }
}
