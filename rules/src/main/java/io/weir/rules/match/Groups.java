package io.weir.rules.match;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The groups that one value leads to: one for each condition that names it. */
final class Groups {
  private Group[] groups = new Group[1]; // nearly always all there is
  private int count;

  /** Adds a group; a condition that names a value twice adds it twice. */
  void add(Group group) {
    if (count > 0 && groups[count - 1] == group) {
      return;
    }
    if (count == groups.length) {
      groups = Arrays.copyOf(groups, 2 * count);
    }
    groups[count++] = group;
  }

  /** See {@link Group#seek}. */
  int seek(Facts facts, int limit, @Nullable Orders all) {
    int wanted = limit;
    for (int i = 0; i < count; i++) {
      if (groups[i].least() < wanted) {
        wanted = groups[i].seek(facts, wanted, all);
      }
    }
    return wanted;
  }
}
