package io.weir.seeing;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Callers by what they weighed a while ago, in a heap: nobody is noted as lighter than who is at
 * half its place.
 *
 * <p>Nobody ever becomes lighter. So where the first weighs what was noted of it, nobody is
 * lighter; and if it weighs more, that is noted, and it sinks to where it belongs. Who is seen
 * again and again costs nothing here until it comes to be the first.
 */
final class HitterHeap {
  private static final int FEWEST = 2;

  private Hitter[] hitters = new Hitter[FEWEST];
  private double[] noted = new double[FEWEST]; // side by side, since sinking compares these alone
  private int size;

  int size() {
    return size;
  }

  /** Everybody, in no order. */
  List<Hitter> all() {
    return Arrays.asList(hitters).subList(0, size);
  }

  /** Looks at everybody; null if it is not here. */
  @Nullable Hitter find(long hash) {
    for (int i = 0; i < size; i++) {
      if (hitters[i].hash() == hash) {
        return hitters[i];
      }
    }
    return null;
  }

  void add(Hitter hitter) {
    if (size == hitters.length) {
      resize(2 * size);
    }
    double weight = hitter.weight();
    int at = size++;
    while (at > 0 && weight < noted[(at - 1) / 2]) {
      put(at, hitters[(at - 1) / 2], noted[(at - 1) / 2]);
      at = (at - 1) / 2;
    }
    put(at, hitter, weight);
  }

  /** Who weighs least; there must be somebody. */
  Hitter lightest() {
    while (hitters[0].weight() > noted[0]) {
      sink(hitters[0], hitters[0].weight());
    }
    return hitters[0];
  }

  /** Removes who weighs least; there must be somebody. */
  Hitter removeLightest() {
    Hitter gone = lightest();
    size--;
    sink(hitters[size], noted[size]);
    return gone;
  }

  /** Puts somebody in the place of the first, or as far below it as its weight wants. */
  private void sink(Hitter hitter, double weight) {
    int at = 0;
    int below = 1;
    while (below < size) {
      below += below + 1 < size && noted[below + 1] < noted[below] ? 1 : 0;
      if (noted[below] >= weight) {
        break;
      }
      put(at, hitters[below], noted[below]);
      at = below;
      below = 2 * at + 1;
    }
    put(at, hitter, weight);
  }

  private void put(int at, Hitter hitter, double weight) {
    hitters[at] = hitter;
    noted[at] = weight;
  }

  /** Gives back room that is not needed. */
  void trim() {
    resize(Math.max(FEWEST, size));
  }

  private void resize(int places) {
    hitters = Arrays.copyOf(hitters, places);
    noted = Arrays.copyOf(noted, places);
  }

  /** Everybody weighs so many times as much. */
  void scale(double factor) {
    for (int i = 0; i < size; i++) {
      hitters[i].scale(factor);
      noted[i] *= factor;
    }
  }
}
