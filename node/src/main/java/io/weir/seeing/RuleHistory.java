package io.weir.seeing;

/**
 * What is known of one rule.
 *
 * @param totals since it came into force, or the process began
 * @param minute of the last minute
 * @param ageSeconds for how long it is in force in this process
 * @param idleSeconds for how long it was asked nothing, or has been there without
 * @param isOverflowing whether the overflow bucket decided in the last minute
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
