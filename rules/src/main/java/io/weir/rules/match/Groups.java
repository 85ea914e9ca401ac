package io.weir.rules.match;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The groups for one value: one for each condition that contains it. */
final class Groups {
  private Group[] groups = new Group[1]; // one group is the usual case
  private int count;

  /** Adds a group, unless a condition with a repeated value has added it already. */
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
  int seek(AttributeValues attributeValues, int limit, @Nullable FoundEntries all) {
    int wanted = limit;
    for (int i = 0; i < count; i++) {
      if (groups[i].minOrder() < wanted) {
        wanted = groups[i].seek(attributeValues, wanted, all);
      }
    }
    return wanted;
  }
}
