package io.weir.seeing;

/**
 * The history of one rule.
 *
 * @param totals since it came into force, or the process began
 * @param minute of the last minute
 * @param ageSeconds how long it has been in force in this process
 * @param idleSeconds how long it has had no requests, or has existed without any
 * @param isOverflowing whether the overflow bucket made a decision in the last minute
 */
public record RuleHistory(
    Counts totals, Counts minute, long ageSeconds, long idleSeconds, boolean isOverflowing) {
  private static final long MINUTE = 60;

  static RuleHistory of(Track track, long now) {
    return new RuleHistory(
        track.totals(),
        track.lastMinute(now),
        now - track.since,
        now - Math.max(track.since, track.lastActive),
        track.lastOverflow > now - MINUTE);
  }
}
