package io.weir.rules.replay;

import io.weir.rules.Request;
import java.util.Map;

/** One request of a trace: its time, cost and attributes by name. Immutable. */
public interface TraceRequest extends Request {
  /** Its line number, from 1; for a CSV row of several lines, the first. */
  long line();

  /** Its time: nanoseconds since the epoch. */
  long epochNanos();

  /** Its time: milliseconds since the epoch, rounded down. */
  default long epochMillis() {
    return Math.floorDiv(epochNanos(), 1_000_000L);
  }

  /** All attributes that it has, in the order of the columns. */
  Map<String, String> attributes();
}
