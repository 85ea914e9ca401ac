package io.weir.chaos;

import io.weir.Origin;

/** One decision of a node and its time, by the machine's monotonic clock. */
record TimedDecision(boolean allowed, Origin origin, long before, long after) {
  String toWord() {
    return (allowed ? "yes" : "no") + ":" + origin + ":" + before + ":" + after;
  }

  static TimedDecision parse(String word) {
    String[] parts = word.split(":", -1);
    return new TimedDecision(
        parts[0].equals("yes"),
        Origin.valueOf(parts[1]),
        Long.parseLong(parts[2]),
        Long.parseLong(parts[3]));
  }
}
