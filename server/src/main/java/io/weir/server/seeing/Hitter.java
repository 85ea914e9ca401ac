package io.weir.server.seeing;

import java.util.Arrays;

/** One caller in a table of {@link HeavyHitters}. */
final class Hitter {
  private final int[] panes;
  private String key = "";
  private long hash;
  private double weight;
  private double inherited;
  private long since;
  private long last;
  private long pane;
  private int use;

  Hitter(int panes) {
    this.panes = new int[panes];
  }

  /** Becomes the place of another caller, who may have weighed as much before as {@code heir}. */
  void become(String key, long hash, double heir, long nowMillis) {
    this.key = key;
    this.hash = hash;
    this.weight = heir;
    this.inherited = heir;
    this.since = nowMillis;
    this.use = 0;
    Arrays.fill(panes, 0);
  }

  void add(int count, double weighs, int used, long nowPane, long nowMillis) {
    turnTo(nowPane);
    int at = (int) Math.floorMod(nowPane, (long) panes.length);
    panes[at] = (int) Math.min(Integer.MAX_VALUE, (long) panes[at] + count);
    weight += weighs;
    use = Math.max(use, used);
    last = nowMillis;
  }

  private void turnTo(long nowPane) {
    if (nowPane - pane >= panes.length || nowPane < pane) {
      Arrays.fill(panes, 0);
    } else {
      for (long each = pane + 1; each <= nowPane; each++) {
        panes[(int) Math.floorMod(each, (long) panes.length)] = 0;
      }
    }
    pane = nowPane;
  }

  /** How often it was seen in the window, since it is in the table. */
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

  /** What it may have weighed when it came into the table. */
  double inherited() {
    return inherited;
  }

  long since() {
    return since;
  }

  long last() {
    return last;
  }

  int use() {
    return use;
  }
}
