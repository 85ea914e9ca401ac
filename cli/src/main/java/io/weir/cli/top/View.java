package io.weir.cli.top;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What somebody wants to see. */
final class View {
  private static final List<String> SORTS = List.of("denied", "allowed", "refused_share", "name");
  private static final List<String> RANGES = List.of("5m", "1h", "24h");

  private int sort;
  private int range;

  /** Which of the rules is pointed at, from the first of those shown. */
  private int pointer;

  /** How many rules are left out before. */
  private int offset;

  /** The rule that alone is shown; null: all. */
  @Nullable String rule;

  View(@Nullable String rule) {
    this.rule = rule;
  }

  String sort() {
    return SORTS.get(sort);
  }

  String range() {
    return RANGES.get(range);
  }

  void nextSort() {
    sort = (sort + 1) % SORTS.size();
    offset = 0;
    pointer = 0;
  }

  void range(int step) {
    range = Math.max(0, Math.min(RANGES.size() - 1, range + step));
  }

  /** What to ask for, where so many rules can be shown. */
  Wish wish(int rules) {
    return new Wish(sort(), range(), rule, rule == null ? offset : 0, rules);
  }

  /** Which of all rules is pointed at; the only one there is, if there is only one. */
  int pointedAt() {
    return rule == null ? offset + pointer : 0;
  }

  /** Points at another rule; the list moves along where its end is reached. */
  void point(int step, int shown, long all) {
    if (rule != null) {
      return;
    }
    long wanted = Math.max(0, Math.min(all - 1, (long) offset + pointer + step));
    if (wanted < offset) {
      offset = (int) wanted;
    } else if (wanted >= offset + shown) {
      offset = (int) (wanted - shown + 1);
    }
    pointer = (int) (wanted - offset);
  }
}
