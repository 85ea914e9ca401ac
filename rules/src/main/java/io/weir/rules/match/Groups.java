package io.weir.rules.match;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The groups that one value leads to: one for each condition that names it. */
final class Groups {
  private Group[] groups = {};

  /** Adds a group; a condition that names a value twice adds it twice. */
  void add(Group group) {
    if (groups.length == 0 || groups[groups.length - 1] != group) {
      groups = Arrays.copyOf(groups, groups.length + 1);
      groups[groups.length - 1] = group;
    }
  }

  /** See {@link Group#seek}. */
  int seek(Facts facts, int limit, @Nullable Orders all) {
    int wanted = limit;
    for (Group group : groups) {
      if (group.least() < wanted) {
        wanted = group.seek(facts, wanted, all);
      }
    }
    return wanted;
  }
}
