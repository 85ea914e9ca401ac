package io.weir.bench.speed;

import java.util.SplittableRandom;

/** Exact draws from Zipf's law with exponent 1 over any number of keys, without a table. */
final class ZipfDraws {
  /*
   * Rejection-inversion (Hörmann and Derflinger, 1996): draw from the continuous density 1/x with
   * its integral ln x, which exp inverts. Round to the nearest whole number, and reject the few
   * draws by which the rounded curve overshoots the steps of 1/k.
   *
   * Neighbours in popularity must not be neighbours in memory, where a map's nodes lie in the order
   * in which they were made. So the rank is mapped to a key by a multiplication modulo the number
   * of keys, which is a permutation when the factor is prime to it.
   */
  private static final long SCATTER = 2_654_435_761L; // a prime, near 2^32 times the golden ratio

  private final int keys;
  private final double lowest;
  private final double highest;
  private final double certain;
  private final SplittableRandom random;

  ZipfDraws(int keys, long seed) {
    this.keys = keys;
    lowest = Math.log(1.5) - 1;
    highest = Math.log(keys + 0.5);
    certain = 2 - Math.exp(Math.log(2.5) - 0.5);
    random = new SplittableRandom(seed);
  }

  int rank() {
    while (true) {
      double u = highest + random.nextDouble() * (lowest - highest);
      double x = Math.exp(u);
      int k = (int) Math.min(keys, Math.max(1, Math.round(x)));
      if (k - x <= certain || u >= Math.log(k + 0.5) - 1.0 / k) {
        return k;
      }
    }
  }

  int key() {
    return (int) (rank() * SCATTER % keys);
  }
}
