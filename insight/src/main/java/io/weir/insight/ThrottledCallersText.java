package io.weir.insight;

import java.util.List;

/** Describes, for the log, the callers that a rule refuses. Runs on the background thread. */
final class ThrottledCallersText {
  private static final long LATELY_MILLIS = 10_000;
  private static final int MAX_CALLERS = 100;

  private ThrottledCallersText() {}

  /**
   * {@code of 4 callers at least, e.g. ab…9f}: the caller that was refused most. Empty if no caller
   * was seen lately.
   */
  static String of(TopCallers topCallers, String rule) {
    long since = topCallers.nowMillis() - LATELY_MILLIS;
    List<String> seen =
        topCallers.top(RankingKind.REFUSED, RankingWindow.MINUTE, rule, MAX_CALLERS).stream()
            .filter(rankedCaller -> rankedCaller.last() >= since)
            .map(rankedCaller -> rankedCaller.callerKey().printed())
            .filter(key -> !key.isEmpty()) // one bucket for all callers
            .toList();
    if (seen.isEmpty()) {
      return "";
    }
    return "of %d %s at least, e.g. %s"
        .formatted(seen.size(), seen.size() == 1 ? "caller" : "callers", seen.get(0));
  }
}
