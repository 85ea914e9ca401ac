package io.weir.insight.series;

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
    OutcomeCounts totals,
    OutcomeCounts minute,
    long ageSeconds,
    long idleSeconds,
    boolean isOverflowing) {
  private static final long MINUTE = 60;

  static RuleHistory of(RuleSeries ruleSeries, long now) {
    return new RuleHistory(
        ruleSeries.totals(),
        ruleSeries.lastMinute(now),
        now - ruleSeries.since,
        now - Math.max(ruleSeries.since, ruleSeries.lastActive),
        ruleSeries.lastOverflow > now - MINUTE);
  }
}
