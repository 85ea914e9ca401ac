package io.weir.seeing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Who was seen most often in a window, in a table of fixed size. */
final class HeavyHitters {
  /*
   * Space saving (Metwally, Agrawal, El Abbadi 2005), with weights that fade (see Decay). The table
   * has K places. Who is not in it takes the place of the one who weighs least, and inherits that
   * weight, since that is the most it can have weighed itself: whoever is not in the table weighs no
   * more than the lightest who is. The lightest weighs at most a K-th of everything.
   *
   * What is told of a caller are its panes: sightings of its own since it came into the table, so
   * never too many. What may be missing is what it had before it came, in as much as that is still
   * in the window. Each such sighting was after the window's start, and weighed at least what a
   * sighting weighed then; all of them together weighed no more than what was inherited. So
   *
   *     missing ≤ inherited / (weight of a sighting at the window's start),
   *
   * and nothing is missing once the window starts after it came.
   *
   * Example: K = 100, half-life and window a minute, 6,000 sightings a minute, steadily. They all
   * weigh 6,000 / ln 2 = 8,656; the lightest at most 87. Who takes that place may have been seen 87
   * times a moment ago, or up to 2 · 87 = 173 times near the start of the window: its count is at
   * most 173 too low, which is 2.9 % of all.
   */
  private final Window window;
  private final Decay decay;
  private final List<Hitter> hitters = new ArrayList<>(2);
  // Their hashes, in the same order, side by side: a table is searched in one sweep over a few
  // cache lines, and a caller takes a third of what an entry of a hash map would.
  private long[] hashes = new long[2];
  private int places;
  private double left; // what whoever is not in the table may weigh, though it is not full

  HeavyHitters(Window window, Decay decay, int places) {
    this.window = window;
    this.decay = decay;
    this.places = places;
  }

  /** Sees a caller {@code count} times. */
  void add(String key, long hash, int count, int use, long nowMillis) {
    int at = find(hash);
    Hitter hitter = at < 0 ? admit(key, hash, nowMillis) : hitters.get(at);
    hitter.add(count, count * decay.weight(), use, window.pane(nowMillis), nowMillis);
  }

  private int find(long hash) {
    for (int i = 0; i < hitters.size(); i++) {
      if (hashes[i] == hash) {
        return i;
      }
    }
    return -1;
  }

  private Hitter admit(String key, long hash, long nowMillis) {
    int at = hitters.size();
    double inherits = left;
    if (at < places) {
      hitters.add(new Hitter(window.panes()));
      if (at == hashes.length) {
        hashes = Arrays.copyOf(hashes, 2 * at);
      }
    } else {
      at = lightest();
      inherits = hitters.get(at).weight();
    }
    hashes[at] = hash;
    hitters.get(at).become(key, hash, inherits, nowMillis);
    return hitters.get(at);
  }

  private int lightest() {
    int lightest = 0;
    for (int i = 1; i < hitters.size(); i++) {
      if (hitters.get(i).weight() < hitters.get(lightest).weight()) {
        lightest = i;
      }
    }
    return lightest;
  }

  /** Everybody in the table who was seen in the window. */
  List<Hitter> seen(long nowMillis) {
    List<Hitter> seen = new ArrayList<>();
    for (Hitter each : hitters) {
      if (each.count(window.pane(nowMillis)) > 0) {
        seen.add(each);
      }
    }
    return seen;
  }

  /** Everybody in the table, those first who have surely been seen most. */
  List<Hitter> surest() {
    List<Hitter> all = new ArrayList<>(hitters);
    all.sort(Comparator.comparingDouble((Hitter each) -> each.inherited() - each.weight()));
    return all;
  }

  /** How often it was seen in the window, at least. */
  long count(Hitter hitter, long nowMillis) {
    return hitter.count(window.pane(nowMillis));
  }

  /** The highest share of the limit that it used in the window, in thousandths. */
  int use(Hitter hitter, long nowMillis) {
    return hitter.use(window.pane(nowMillis));
  }

  /** How often it was seen in the window, at most. */
  long atMost(Hitter hitter, long nowMillis) {
    long start = window.start(nowMillis);
    double missing = start >= hitter.since() ? 0 : hitter.inherited() / decay.at(start);
    return count(hitter, nowMillis) + (long) (missing + 1e-6);
  }

  /** Has more places from now on. Who was left out so far weighs no more than the lightest. */
  void growTo(int more) {
    if (more > places && hitters.size() >= places) {
      left = Math.max(left, hitters.get(lightest()).weight());
    }
    places = Math.max(places, more);
  }

  /** Gives up places, those of the lightest first. */
  void shrinkTo(int fewer) {
    places = Math.min(places, fewer);
    while (hitters.size() > places) {
      int gone = lightest();
      int last = hitters.size() - 1;
      hitters.set(gone, hitters.get(last));
      hashes[gone] = hashes[last];
      hitters.remove(last);
    }
    hashes = Arrays.copyOf(hashes, Math.max(2, hitters.size()));
  }

  void scale(double factor) {
    hitters.forEach(each -> each.scale(factor));
    left *= factor;
  }

  int size() {
    return hitters.size();
  }
}
