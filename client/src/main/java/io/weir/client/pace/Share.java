package io.weir.client.pace;

/**
 * How much of what everybody spends from a limit is spent by this client.
 *
 * <p>Two answers tell what everybody spent between them: what is left fell by that, and rose by
 * what came back. One of those requests was the client's own. Both are summed up, older ones
 * fading, so that it does not matter what came late in one interval and early in the next.
 */
final class Share {
  /** About so many answers are remembered. */
  private static final int MEMORY = 20;

  private double own;
  private double everybodys;
  private int samples;

  /** How much the client spent, and everybody, since the answer before. */
  void note(double ownSpent, double spent) {
    double fading = 1 - 1.0 / Math.min(samples + 2, MEMORY);
    own = own * fading + ownSpent;
    everybodys = everybodys * fading + spent;
    samples++;
  }

  void forget() {
    own = 0;
    everybodys = 0;
    samples = 0;
  }

  /** How many answers it rests on. */
  int samples() {
    return samples;
  }

  /** Whether others spend, beyond what rounding and the order of answers make of it. */
  boolean hasOthers() {
    return everybodys - own > 1.5 + 0.1 * own;
  }

  /** From nearly 0 to 1, which is a limit of one's own. */
  double part() {
    return everybodys <= own ? 1 : Math.max(own / everybodys, 1e-4);
  }
}
