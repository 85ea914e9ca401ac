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
 * @param leaseClosing the previous lease, which the same call closes; null if there is none
 */
record TakeRequest(
    Leases leases,
    @Nullable Lease lease,
    long cost,
    int own,
    int more,
    int shares,
    long sentNanos,
    @Nullable LeaseClosing leaseClosing) {
  private boolean isPlain() {
    return more == 0 && leaseClosing == null;
  }

  ScriptMessage message(long atMicros) {
    ScriptPlan scriptPlan = leases.scriptPlan();
    return isPlain()
        ? scriptPlan.take(cost, own, atMicros)
        : scriptPlan.lease(cost, own, more, shares, leases.leaseMicros(), leaseClosing, atMicros);
  }

  /** Reads the reply; permits granted in advance can be spent from now on. */
  TakeReply outcome(long[] reply) {
    ScriptPlan scriptPlan = leases.scriptPlan();
    TakeReply takeReply =
        isPlain() ? scriptPlan.taken(cost, own, reply) : scriptPlan.leased(cost, own, more, reply);
    if (leaseClosing != null) {
      leaseClosing.done(takeReply.epochMicros());
    }
    if (lease != null) {
      lease.granted(takeReply.granted() * cost);
      if (takeReply.granted() > own) {
        leases.begin(lease, new Grant(takeReply, own, cost, sentNanos, leases.nanos()));
      }
    }
    heard();
    return takeReply;
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
