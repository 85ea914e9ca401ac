package io.weir.seeing;

/**
 * How much a sighting weighs that is made now, if those of the past are to weigh half after each
 * half-life: instead of making all that is old lighter, what is new is made heavier.
 *
 * <p>A sighting at {@code t} weighs 2^((t − origin) / half-life), for ever. What two callers weigh
 * can be compared at any time, and divided by the weight of a sighting that is made now it is what
 * they would weigh if the past had faded. Every few hundred half-lives the origin is moved.
 */
final class Decay {
  private static final double HEAVIEST = 512; // halvings; a double has room for a thousand

  private final double halfLife;
  private long origin;
  private long now;
  private double weight = 1;

  Decay(long halfLifeMillis, long nowMillis) {
    this.halfLife = halfLifeMillis;
    this.origin = nowMillis;
    this.now = nowMillis;
  }

  /** Moves on. A clock that goes back stands still here. */
  void moveTo(long epochMillis) {
    if (epochMillis > now) {
      now = epochMillis;
      weight = at(epochMillis);
    }
  }

  /** What a sighting weighs now. */
  double weight() {
    return weight;
  }

  /** What a sighting weighed then. */
  double at(long epochMillis) {
    return Math.pow(2, (epochMillis - origin) / halfLife);
  }

  boolean isTooHeavy() {
    return (now - origin) / halfLife > HEAVIEST;
  }

  /** Weighs from now on anew. What was weighed so far is to be multiplied by what is returned. */
  double restart() {
    double factor = 1 / weight;
    origin = now;
    weight = 1;
    return factor;
  }
}
