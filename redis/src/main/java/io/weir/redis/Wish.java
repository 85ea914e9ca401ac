package io.weir.redis;

import org.jspecify.annotations.Nullable;

/**
 * The request of one call: permits for waiting checks, and possibly some in advance.
 *
 * @param lease receives the permits in advance; null if the key has none
 * @param own how many checks wait
 * @param more how many times their cost is requested in advance
 * @param shares the number of parts of the free permits
 * @param sentNanos a moment before the call is sent
 * @param closing the previous lease, which the same call closes; null if there is none
 */
record Wish(
    Leases leases,
    @Nullable Lease lease,
    long cost,
    int own,
    int more,
    int shares,
    long sentNanos,
    @Nullable Closing closing) {
  private boolean isPlain() {
    return more == 0 && closing == null;
  }

  Message message(long atMicros) {
    Plan plan = leases.plan();
    return isPlain()
        ? plan.take(cost, own, atMicros)
        : plan.lease(cost, own, more, shares, leases.leaseMicros(), closing, atMicros);
  }

  /** Reads the reply; permits granted in advance can be spent from now on. */
  Outcome outcome(long[] reply) {
    Plan plan = leases.plan();
    Outcome outcome =
        isPlain() ? plan.taken(cost, own, reply) : plan.leased(cost, own, more, reply);
    if (closing != null) {
      closing.done(outcome.epochMicros());
    }
    if (lease != null) {
      lease.answered(outcome.granted() * cost);
      if (outcome.granted() > own) {
        leases.begin(lease, new Grant(outcome, own, cost, sentNanos, leases.nanos()));
      }
    }
    heard();
    return outcome;
  }

  /** There was no reply. */
  void failed() {
    if (lease != null) {
      lease.failed();
    }
    heard();
  }

  private void heard() {
    if (!isPlain()) {
      leases.heard();
    }
  }
}
