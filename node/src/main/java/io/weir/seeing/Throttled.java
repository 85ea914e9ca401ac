package io.weir.seeing;

import java.util.List;

/** Describes, for the log, the callers that a rule refuses. Runs on the watchman's thread. */
public final class Throttled {
  private static final long LATELY_MILLIS = 10_000;
  private static final int MOST = 100;

  private final Watch watch;

  public Throttled(Watch watch) {
    this.watch = watch;
  }

  /**
   * {@code of 4 callers at least, e.g. ab…9f}: the caller that was refused most. Empty if no caller
   * was seen lately.
   */
  public String by(String rule) {
    Callers callers = watch.callers();
    long since = callers.nowMillis() - LATELY_MILLIS;
    List<String> seen =
        callers.top(Kind.REFUSED, Window.MINUTE, rule, MOST).stream()
            .filter(ranked -> ranked.last() >= since)
            .map(ranked -> ranked.key().printed())
            .filter(key -> !key.isEmpty()) // one bucket for all callers
            .toList();
    if (seen.isEmpty()) {
      return "";
    }
    return "of %d %s at least, e.g. %s"
        .formatted(seen.size(), seen.size() == 1 ? "caller" : "callers", seen.get(0));
  }
}
