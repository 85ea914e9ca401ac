package io.weir.insight;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the callers seen most often in a window, with a table of fixed size. */
final class HeavyHitters {
  /*
   * Space saving (Metwally, Agrawal, El Abbadi 2005), with weights that decay (see Decay). The
   * table has K places. A caller that is not in the table takes the place of the lightest one and
   * inherits its weight. That is the most the new caller can have weighed: a caller outside the
   * table weighs no more than the lightest inside. The lightest weighs at most a K-th of the total.
   *
   * The reported count of a caller is the sum of its panes: its own sightings since it entered the
   * table, so never too many. The count may miss sightings from before it entered, as far as they
   * are still in the window. Each of those came after the window's start, and so weighed at least
   * what a sighting weighed then. Together they weighed no more than the inherited weight. So
   *
   *     missing ≤ inherited / (weight of a sighting at the window's start),
   *
   * and nothing is missing once the window starts after the caller entered.
   *
   * Example: K = 100, half-life and window a minute, 6,000 sightings a minute, steadily. Together
   * they weigh 6,000 / ln 2 = 8,656; the lightest at most 87. A caller that takes its place may
   * have been seen 87 times a moment ago, or up to 2 · 87 = 173 times near the start of the window.
   * So its count is at most 173 too low, which is 2.9 % of all.
   */
  private static final int FEW = 8;

  private final RankingWindow rankingWindow;
  private final Decay decay;
  private final HitterHeap byWeight = new HitterHeap();
  private @Nullable HitterTable byHash; // small tables have none
  private int places;
  private double left; // the maximum weight of a caller outside a table that is not full

  HeavyHitters(RankingWindow rankingWindow, Decay decay, int places) {
    this.rankingWindow = rankingWindow;
    this.decay = decay;
    this.places = places;
  }

  /** Adds {@code count} decisions on a caller. */
  void add(RulePart rulePart, String key, long hash, int count, int use, long nowMillis) {
    Hitter known = find(hash);
    Hitter hitter = known == null ? admit(key, hash, nowMillis) : known;
    hitter.of(rulePart);
    hitter.add(count, count * decay.weight(), use, rankingWindow.pane(nowMillis), nowMillis);
  }

  private @Nullable Hitter find(long hash) {
    return byHash == null ? byWeight.find(hash) : byHash.find(hash);
  }

  /** Whether a caller is in the table, and was seen in the window. */
  boolean hasSeen(long hash, long nowMillis) {
    Hitter known = find(hash);
    return known != null && known.count(rankingWindow.pane(nowMillis)) > 0;
  }

  private Hitter admit(String key, long hash, long nowMillis) {
    Hitter hitter;
    if (size() < places) {
      hitter = new Hitter(rankingWindow.panes());
      hitter.become(key, hash, left, nowMillis);
      byWeight.add(hitter);
    } else {
      hitter = byWeight.lightest();
      forget(hitter);
      hitter.become(key, hash, hitter.weight(), nowMillis);
    }
    if (byHash != null) {
      byHash.add(hitter);
    } else if (size() > FEW) {
      byHash = new HitterTable();
      byWeight.all().forEach(byHash::add);
    }
    return hitter;
  }

  private void forget(Hitter hitter) {
    if (byHash != null) {
      byHash.remove(hitter);
    }
  }

  /** All callers in the table that were seen in the window. */
  List<Hitter> seen(long nowMillis) {
    List<Hitter> seen = new ArrayList<>();
    for (Hitter each : byWeight.all()) {
      if (each.count(rankingWindow.pane(nowMillis)) > 0) {
        seen.add(each);
      }
    }
    return seen;
  }

  /**
   * All callers in the table, ordered by the weight that is certainly their own, the largest first.
   */
  List<Hitter> surest() {
    List<Hitter> all = new ArrayList<>(byWeight.all());
    all.sort(Comparator.comparingDouble((Hitter each) -> each.inherited() - each.weight()));
    return all;
  }

  /** A lower bound of the decisions on the caller in the window. */
  long count(Hitter hitter, long nowMillis) {
    return hitter.count(rankingWindow.pane(nowMillis));
  }

  /** The highest share of the limit that it used in the window, in thousandths. */
  int use(Hitter hitter, long nowMillis) {
    return hitter.use(rankingWindow.pane(nowMillis));
  }

  /** An upper bound of the decisions on the caller in the window. */
  long atMost(Hitter hitter, long nowMillis) {
    long start = rankingWindow.start(nowMillis);
    double missing = start >= hitter.since() ? 0 : hitter.inherited() / decay.at(start);
    return count(hitter, nowMillis) + (long) (missing + 1e-6);
  }

  /** Adds places. A caller that was left out so far weighs no more than the lightest. */
  void growTo(int more) {
    if (more > places && size() >= places) {
      left = Math.max(left, byWeight.lightest().weight());
    }
    places = Math.max(places, more);
  }

  /** Removes places, those of the lightest callers first. */
  void shrinkTo(int fewer) {
    places = Math.min(places, fewer);
    while (size() > places) {
      forget(byWeight.removeLightest());
    }
    if (byHash != null) {
      byHash.trim();
    }
    byWeight.trim();
  }

  void scale(double factor) {
    byWeight.scale(factor);
    left *= factor;
  }

  int size() {
    return byWeight.size();
  }
}
