package io.weir.insight.whatif;

import java.util.Arrays;
import java.util.Optional;

/** The length and resolution of a recording. */
public enum Resolution {
  /** Five minutes in seconds. */
  FIVE_MINUTES("5m", 300, 1),
  /** An hour in minutes. */
  HOUR("1h", 60, 60),
  /** A day in quarters of an hour. */
  DAY("24h", 96, 900);

  private final String text;
  private final int slots;
  private final int seconds;

  Resolution(String text, int slots, int seconds) {
    this.text = text;
    this.slots = slots;
    this.seconds = seconds;
  }

  /** The range with this name. */
  public static Optional<Resolution> of(String text) {
    return Arrays.stream(values()).filter(each -> each.text.equals(text)).findFirst();
  }

  public int slots() {
    return slots;
  }

  /** The length of a slot. */
  public long stepMillis() {
    return seconds * 1000L;
  }

  public long slot(long second) {
    return Math.floorDiv(second, (long) seconds);
  }

  /** The start of the first slot, if the last slot contains {@code second}. */
  public long startMillis(long second) {
    return (slot(second) - slots + 1) * stepMillis();
  }

  /** The end of the slot that contains {@code second}. */
  public long endMillis(long second) {
    return (slot(second) + 1) * stepMillis();
  }

  @Override
  public String toString() {
    return text;
  }
}
