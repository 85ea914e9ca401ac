package io.weir.cli.top;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What somebody wants to see. */
final class View {
  /** The list in which the arrow keys move. */
  enum Focus {
    RULES,
    REFUSED,
    NEAR
  }

  private static final List<String> SORTS = List.of("denied", "allowed", "refused_share", "name");
  private static final List<String> SORT_WORDS = List.of("refused", "allowed", "share", "name");
  private static final List<String> RANGES = List.of("5m", "1h", "24h");

  private int sort;
  private int range;

  /** Which of the rules is pointed at, from the first of those shown. */
  private int pointer;

  /** How many rules are left out before. */
  private int offset;

  private Focus focus = Focus.RULES;

  /** Which caller of the list is selected. */
  private int caller;

  /** What is asked before it is done; null: nothing. */
  @Nullable CallerChange change;

  /** The rule that alone is shown; null: all. */
  @Nullable String rule;

  View(@Nullable String rule) {
    this.rule = rule;
  }

  /** The order of the rules, as the admin port calls it. */
  String sort() {
    return SORTS.get(sort);
  }

  /** The order of the rules, as the columns on the screen are called. */
  String sortWord() {
    return SORT_WORDS.get(sort);
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

  Focus focus() {
    return focus;
  }

  /** The list of callers to show where there is room for one. */
  boolean showsNear() {
    return focus == Focus.NEAR;
  }

  void nextFocus() {
    focus = Focus.values()[(focus.ordinal() + 1) % Focus.values().length];
    caller = 0;
  }

  /** Back to the rules; whether the focus was elsewhere. */
  boolean leaveCallers() {
    boolean wasElsewhere = focus != Focus.RULES;
    focus = Focus.RULES;
    return wasElsewhere;
  }

  /** The place of the selected caller in the list that has the focus; -1: none is selected. */
  int callerPlace(Focus list, int size) {
    return list == focus && size > 0 ? Math.min(caller, size - 1) : -1;
  }

  /** Selects another caller of a list of that size. */
  void pointCaller(int step, int size) {
    caller = Math.max(0, Math.min(size - 1, Math.min(caller, size - 1) + step));
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
