package io.weir.insight;

/**
 * The weight of a new sighting when past sightings lose half their weight per half-life. Instead of
 * reducing all old weights, new sightings get a higher weight.
 *
 * <p>A sighting at {@code t} weighs 2^((t − origin) / half-life), permanently. So the weights of
 * two callers can be compared at any time. Divided by the weight of a sighting made now, they are
 * the decayed weights. The origin moves every few hundred half-lives.
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

  /** Moves on to a time. If the clock goes back, this time stands still. */
  void moveTo(long epochMillis) {
    if (epochMillis > now) {
      now = epochMillis;
      weight = at(epochMillis);
    }
  }

  /** The weight of a sighting made now. */
  double weight() {
    return weight;
  }

  /** The weight of a sighting made then. */
  double at(long epochMillis) {
    return Math.pow(2, (epochMillis - origin) / halfLife);
  }

  boolean isTooHeavy() {
    return (now - origin) / halfLife > HEAVIEST;
  }

  /** Restarts the weights. All existing weights must be multiplied by the result. */
  double restart() {
    double factor = 1 / weight;
    origin = now;
    weight = 1;
    return factor;
  }
}
