package io.weir.cli.top;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the user has chosen to see. Not thread-safe. */
final class ViewState {
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

  /** Which of the shown rules is selected, counted from the first. */
  private int pointer;

  /** How many rules are skipped before the first shown. */
  private int offset;

  private Focus focus = Focus.RULES;

  /** Which caller of the list is selected. */
  private int caller;

  /** The change to confirm; null: none. */
  @Nullable CallerChange change;

  /** The only rule that is shown; null: all. */
  @Nullable String rule;

  ViewState(@Nullable String rule) {
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

  /** The list of callers to show if there is room for one. */
  boolean showsNear() {
    return focus == Focus.NEAR;
  }

  void nextFocus() {
    focus = Focus.values()[(focus.ordinal() + 1) % Focus.values().length];
    caller = 0;
  }

  /** Moves the focus back to the rules; returns whether it was on a list of callers. */
  boolean leaveCallers() {
    boolean wasOnCallers = focus != Focus.RULES;
    focus = Focus.RULES;
    return wasOnCallers;
  }

  /** The place of the selected caller in the list that has the focus; -1: none is selected. */
  int callerPlace(Focus list, int size) {
    return list == focus && size > 0 ? Math.min(caller, size - 1) : -1;
  }

  /** Selects another caller of a list of that size. */
  void pointCaller(int step, int size) {
    caller = Math.max(0, Math.min(size - 1, Math.min(caller, size - 1) + step));
  }

  /** What to request if so many rules can be shown. */
  SnapshotQuery query(int rules) {
    return new SnapshotQuery(sort(), range(), rule, rule == null ? offset : 0, rules);
  }

  /** The selected one of all rules; the only one there is, if there is only one. */
  int pointedAt() {
    return rule == null ? offset + pointer : 0;
  }

  /** Selects another rule; the list scrolls at its ends. */
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
