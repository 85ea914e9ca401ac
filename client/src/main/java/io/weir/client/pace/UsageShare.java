package io.weir.client.pace;

/**
 * This client's share of all spending from a limit.
 *
 * <p>Two responses show what all clients spent between them: the fall of the level plus the refill.
 * One of those requests was this client's own. Both counts are summed with exponential decay, so a
 * request counted in the wrong one of two intervals does not matter.
 */
final class UsageShare {
  /** The approximate number of responses that count. */
  private static final int MEMORY = 20;

  private double own;
  private double all;
  private int samples;

  /** Records what this client and all clients spent since the response before. */
  void note(double ownSpent, double spent) {
    double fading = 1 - 1.0 / Math.min(samples + 2, MEMORY);
    own = own * fading + ownSpent;
    all = all * fading + spent;
    samples++;
  }

  void forget() {
    own = 0;
    all = 0;
    samples = 0;
  }

  /** The number of responses recorded. */
  int samples() {
    return samples;
  }

  /** Whether other clients spend, beyond what rounding and reordering explain. */
  boolean hasOthers() {
    return all - own > 1.5 + 0.1 * own;
  }

  /** From nearly 0 to 1, which means this client is alone. */
  double part() {
    return all <= own ? 1 : Math.max(own / all, 1e-4);
  }
}
