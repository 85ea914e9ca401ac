package io.weir.insight;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One caller in a table of {@link HeavyHitters}. */
final class Hitter {
  private final int[] panes;
  private String key = "";
  private RulePart rulePart = RulePart.OWN;
  private long hash;
  private double weight;
  private double inherited;
  private long since;
  private long last;
  private long pane;
  private short @Nullable [] uses; // the maximum of each pane, in thousandths; null: all 0

  Hitter(int panes) {
    this.panes = new int[panes];
  }

  /** Sets the limits of the rule under which the caller was seen last. */
  void of(RulePart limits) {
    rulePart = limits;
  }

  RulePart rulePart() {
    return rulePart;
  }

  /**
   * Reuses this place for another caller, which may have weighed up to {@code inheritedWeight}
   * before.
   */
  void become(String key, long hash, double inheritedWeight, long nowMillis) {
    this.key = key;
    this.hash = hash;
    this.weight = inheritedWeight;
    this.inherited = inheritedWeight;
    this.since = nowMillis;
    this.uses = null;
    Arrays.fill(panes, 0);
  }

  void add(int count, double weighs, int used, long nowPane, long nowMillis) {
    turnTo(nowPane);
    int at = (int) Math.floorMod(nowPane, (long) panes.length);
    panes[at] = (int) Math.min(Integer.MAX_VALUE, (long) panes[at] + count);
    weight += weighs;
    if (used > 0) {
      short[] all = uses == null ? new short[panes.length] : uses;
      all[at] = (short) Math.max(all[at], Math.min(used, Short.MAX_VALUE));
      uses = all;
    }
    last = nowMillis;
  }

  private void turnTo(long nowPane) {
    if (nowPane - pane >= panes.length || nowPane < pane) {
      Arrays.fill(panes, 0);
      uses = null;
    } else {
      for (long each = pane + 1; each <= nowPane; each++) {
        int at = (int) Math.floorMod(each, (long) panes.length);
        panes[at] = 0;
        if (uses != null) {
          uses[at] = 0;
        }
      }
    }
    pane = nowPane;
  }

  /** How often the caller was seen in the window since it entered the table. */
  long count(long nowPane) {
    turnTo(nowPane);
    long sum = 0;
    for (int each : panes) {
      sum += each;
    }
    return sum;
  }

  void scale(double factor) {
    weight *= factor;
    inherited *= factor;
  }

  String key() {
    return key;
  }

  long hash() {
    return hash;
  }

  double weight() {
    return weight;
  }

  /** The maximum weight that it had when it entered the table. */
  double inherited() {
    return inherited;
  }

  long since() {
    return since;
  }

  long last() {
    return last;
  }

  /** The highest share of the limit that it used in the window, in thousandths. */
  int use(long nowPane) {
    turnTo(nowPane);
    int highest = 0;
    if (uses != null) {
      for (short each : uses) {
        highest = Math.max(highest, each);
      }
    }
    return highest;
  }
}
