package io.weir.insight;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A heap of callers, ordered by weights noted earlier: no noted weight is below that of its parent.
 *
 * <p>Weights never decrease. So if the first caller still has its noted weight, it is the lightest.
 * If it has become heavier, the new weight is noted and the caller sinks to its place. A caller
 * that is seen again costs nothing here until it becomes the first.
 */
final class HitterHeap {
  private static final int FEWEST = 2;

  private Hitter[] hitters = new Hitter[FEWEST];
  // a separate array, because sinking compares only these
  private double[] noted = new double[FEWEST];
  private int size;

  int size() {
    return size;
  }

  /** All callers, in no order. */
  List<Hitter> all() {
    return Arrays.asList(hitters).subList(0, size);
  }

  /** Finds a caller by a scan; null if it is not here. */
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

  /** The lightest caller; the heap must not be empty. */
  Hitter lightest() {
    while (hitters[0].weight() > noted[0]) {
      sink(hitters[0], hitters[0].weight());
    }
    return hitters[0];
  }

  /** Removes the lightest caller; the heap must not be empty. */
  Hitter removeLightest() {
    Hitter removed = lightest();
    size--;
    sink(hitters[size], noted[size]);
    return removed;
  }

  /** Puts a caller in the first place, or as far below it as its weight requires. */
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

  /** Frees unused memory. */
  void trim() {
    resize(Math.max(FEWEST, size));
  }

  private void resize(int places) {
    hitters = Arrays.copyOf(hitters, places);
    noted = Arrays.copyOf(noted, places);
  }

  /** Multiplies all weights by a factor. */
  void scale(double factor) {
    for (int i = 0; i < size; i++) {
      hitters[i].scale(factor);
      noted[i] *= factor;
    }
  }
}
