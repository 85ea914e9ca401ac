package io.weir.insight.series;

import io.weir.OnFailure;
import io.weir.decision.RuleCounters;
import io.weir.decision.RuleOutcome;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The history of one rule. Unused parts take no memory. */
final class RuleSeries {
  static final int OUTCOMES = RuleOutcome.values().length;
  static final int NEAR = OUTCOMES;
  static final int FALLBACKS = NEAR + 1;
  static final int COUNTERS = FALLBACKS + OnFailure.values().length;

  /** Outcomes, near, and all fallbacks together. */
  static final int MEASURES = FALLBACKS + 1;

  static final int FINAL_READS = 2;

  private static final RuleOutcome[] ALL_OUTCOMES = RuleOutcome.values();
  private static final OnFailure[] ALL_POLICIES = OnFailure.values();

  /** Its counters; a rule change may give them another label. */
  RuleCounters counters;

  final long since;

  /** The counters at the last read. */
  final long[] seen = new long[COUNTERS];

  /**
   * The increase at the last read. The array is shared: another series overwrites it with its own
   * read.
   */
  final long[] more;

  @Nullable LastMinute lastMinute;
  @Nullable SeriesBuffer seriesBuffer;
  long lastActive = Long.MIN_VALUE;

  /** A decaying measure of how busy it has been; halves in about an hour. */
  double busyness;

  /** The decisions since {@link #busyness} was last computed. */
  long decisionsSinceElection;

  /** How many decisions the overflow bucket made; the next field is when that last increased. */
  long overflowed;

  long lastOverflow = Long.MIN_VALUE;

  /** How many more times the counters are read after the rule was removed. */
  int remainingReads = FINAL_READS;

  private boolean mayLag;

  /**
   * Starts a series.
   *
   * @param more is written by {@link #read}, of all series that share it
   */
  RuleSeries(RuleCounters counters, long since, long[] more) {
    this.more = more;
    this.counters = counters;
    this.since = since;
    RuleCounters before = counters.before();
    for (int i = 0; i < OUTCOMES; i++) {
      seen[i] = before.count(ALL_OUTCOMES[i]);
    }
    seen[NEAR] = before.nearLimit();
    for (int i = 0; i < ALL_POLICIES.length; i++) {
      seen[FALLBACKS + i] = before.fallbacks(ALL_POLICIES[i]);
    }
  }

  /**
   * Reads the counters; returns whether they increased. The outcome of a decision is counted before
   * its other counters. So the other counters are read once more after the last change of the
   * outcomes.
   */
  boolean read() {
    boolean isMore = false;
    for (int i = 0; i < OUTCOMES; i++) {
      isMore |= take(i, counters.count(ALL_OUTCOMES[i]));
    }
    if (isMore || mayLag) {
      mayLag = isMore;
      isMore |= take(NEAR, counters.nearLimit());
      for (int i = 0; i < ALL_POLICIES.length; i++) {
        isMore |= take(FALLBACKS + i, counters.fallbacks(ALL_POLICIES[i]));
      }
    } else {
      Arrays.fill(more, NEAR, COUNTERS, 0);
    }
    return isMore;
  }

  private boolean take(int counter, long now) {
    more[counter] = now - seen[counter];
    seen[counter] = now;
    return more[counter] != 0;
  }

  /** Whether there ever was a decision. */
  boolean isActive() {
    return lastActive > Long.MIN_VALUE;
  }

  /** By how many decisions the counters increased at the last read. */
  long moreDecisions() {
    long all = 0;
    for (int i = 0; i < OUTCOMES; i++) {
      all += more[i];
    }
    return all;
  }

  /** The number of decisions made without the store. */
  static long fallbacks(long[] counters) {
    long all = 0;
    for (int i = FALLBACKS; i < COUNTERS; i++) {
      all += counters[i];
    }
    return all;
  }

  /** Since the start. */
  OutcomeCounts totals() {
    return new OutcomeCounts(Arrays.copyOf(seen, OUTCOMES), seen[NEAR], fallbacks(seen));
  }

  /** In the last minute. */
  OutcomeCounts lastMinute(long now) {
    LastMinute known = lastMinute;
    return known == null ? OutcomeCounts.NONE : counts(known, now);
  }

  static OutcomeCounts counts(LastMinute lastMinute, long now) {
    long[] outcomes = new long[OUTCOMES];
    for (int i = 0; i < OUTCOMES; i++) {
      outcomes[i] = lastMinute.sum(i, now);
    }
    return new OutcomeCounts(outcomes, lastMinute.sum(NEAR, now), lastMinute.sum(FALLBACKS, now));
  }
}
