package io.weir.seeing;

import io.weir.OnFailure;
import io.weir.arbiter.Outcome;
import io.weir.arbiter.RuleTally;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What is known of one rule over time. What it has not needed yet takes no room. */
final class Track {
  static final int OUTCOMES = Outcome.values().length;
  static final int NEAR = OUTCOMES;
  static final int FALLBACKS = NEAR + 1;
  static final int COUNTERS = FALLBACKS + OnFailure.values().length;

  /** Outcomes, near, and all fallbacks together. */
  static final int MEASURES = FALLBACKS + 1;

  static final int FAREWELLS = 2;

  private static final Outcome[] ALL_OUTCOMES = Outcome.values();
  private static final OnFailure[] ALL_POLICIES = OnFailure.values();

  /** Its counters; under another label after a change of the rules. */
  RuleTally tally;

  final long since;

  /** What the counters said last. */
  final long[] seen = new long[COUNTERS];

  /** What they said more than before; another's, once that was read. */
  final long[] more;

  @Nullable Minute minute;
  @Nullable Course course;
  long lastActive = Long.MIN_VALUE;

  /** How busy it has been, fading: by half in about an hour. */
  double busyness;

  /** How much it was asked since {@link #busyness} was reckoned last. */
  long asked;

  /** How often the overflow bucket decided, and when that was last seen to grow. */
  long overflowed;

  long lastOverflow = Long.MIN_VALUE;

  /** How many more times its counters are read, where its rule is gone. */
  int farewells = FAREWELLS;

  private boolean mayLag;

  /**
   * Begins.
   *
   * @param more is written to by {@link #read}, of all tracks that share it
   */
  Track(RuleTally tally, long since, long[] more) {
    this.more = more;
    this.tally = tally;
    this.since = since;
    RuleTally before = tally.before();
    for (int i = 0; i < OUTCOMES; i++) {
      seen[i] = before.count(ALL_OUTCOMES[i]);
    }
    seen[NEAR] = before.nearLimit();
    for (int i = 0; i < ALL_POLICIES.length; i++) {
      seen[FALLBACKS + i] = before.fallbacks(ALL_POLICIES[i]);
    }
  }

  /**
   * Reads the counters; whether they say more than before. A decision is counted by its outcome
   * first: the rest of it is looked at once more where the outcomes have changed at last.
   */
  boolean read() {
    boolean isMore = false;
    for (int i = 0; i < OUTCOMES; i++) {
      isMore |= take(i, tally.count(ALL_OUTCOMES[i]));
    }
    if (isMore || mayLag) {
      mayLag = isMore;
      isMore |= take(NEAR, tally.nearLimit());
      for (int i = 0; i < ALL_POLICIES.length; i++) {
        isMore |= take(FALLBACKS + i, tally.fallbacks(ALL_POLICIES[i]));
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
  boolean hasBeenAsked() {
    return lastActive > Long.MIN_VALUE;
  }

  /** How many decisions the counters have last said more. */
  long moreDecisions() {
    long all = 0;
    for (int i = 0; i < OUTCOMES; i++) {
      all += more[i];
    }
    return all;
  }

  /** How many more of the decisions were made without the store. */
  static long fallbacks(long[] counters) {
    long all = 0;
    for (int i = FALLBACKS; i < COUNTERS; i++) {
      all += counters[i];
    }
    return all;
  }

  /** Since it began. */
  Counts totals() {
    return new Counts(Arrays.copyOf(seen, OUTCOMES), seen[NEAR], fallbacks(seen));
  }

  /** Of the last minute. */
  Counts lastMinute(long now) {
    Minute known = minute;
    return known == null ? Counts.NONE : counts(known, now);
  }

  static Counts counts(Minute minute, long now) {
    long[] outcomes = new long[OUTCOMES];
    for (int i = 0; i < OUTCOMES; i++) {
      outcomes[i] = minute.sum(i, now);
    }
    return new Counts(outcomes, minute.sum(NEAR, now), minute.sum(FALLBACKS, now));
  }
}
