package io.weir.rules.replay;

import io.weir.rules.Request;
import java.util.Map;

/** One request of a trace: when, how much, and its attributes by name. Immutable. */
public interface TraceRequest extends Request {
  /** The number of its line, from 1; the first one of a CSV row that spans several. */
  long line();

  /** When it came: nanoseconds since the epoch. */
  long epochNanos();

  /** When it came: milliseconds since the epoch, rounded down. */
  default long epochMillis() {
    return Math.floorDiv(epochNanos(), 1_000_000L);
  }

  /** All attributes that it has, in the order of the columns. */
  Map<String, String> attributes();
}
