package io.weir.seeing;

import java.util.Arrays;
import java.util.Optional;

/** How far a recording goes back, and how finely. */
public enum Grain {
  /** Five minutes by seconds. */
  FIVE_MINUTES("5m", 300, 1),
  /** An hour by minutes. */
  HOUR("1h", 60, 60),
  /** A day by quarters of an hour. */
  DAY("24h", 96, 900);

  private final String text;
  private final int slots;
  private final int seconds;

  Grain(String text, int slots, int seconds) {
    this.text = text;
    this.slots = slots;
    this.seconds = seconds;
  }

  /** The range that is called {@code text}. */
  public static Optional<Grain> of(String text) {
    return Arrays.stream(values()).filter(each -> each.text.equals(text)).findFirst();
  }

  int slots() {
    return slots;
  }

  /** How long a slot is. */
  public long stepMillis() {
    return seconds * 1000L;
  }

  long slot(long second) {
    return Math.floorDiv(second, (long) seconds);
  }

  /** When the first slot began of those that end with the one of {@code second}. */
  long startMillis(long second) {
    return (slot(second) - slots + 1) * stepMillis();
  }

  /** When the slot of {@code second} ends. */
  long endMillis(long second) {
    return (slot(second) + 1) * stepMillis();
  }

  @Override
  public String toString() {
    return text;
  }
}
