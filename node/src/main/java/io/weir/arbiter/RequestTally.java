package io.weir.arbiter;

import io.weir.rules.DescriptorRuling;
import io.weir.rules.Ruling;
import io.weir.rules.Verdict;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the requests of one front end. Each request counts once: one that five rules refuse is one
 * refused request. Counting takes no lock and allocates nothing.
 */
public final class RequestTally {
  private static final int OUTCOMES = RequestOutcome.values().length;

  private final LongAdder[] counts = new LongAdder[OUTCOMES];
  private final LongAdder shadowDenied = new LongAdder();

  RequestTally() {
    for (int i = 0; i < OUTCOMES; i++) {
      counts[i] = new LongAdder();
    }
  }

  /** Counts a request that was decided. */
  public void count(Ruling ruling) {
    counts[RequestOutcome.of(ruling).ordinal()].increment();
    if (ruling.allowed() && isRefused(ruling.shadows())) {
      shadowDenied.increment();
    }
  }

  /**
   * Counts one call with descriptors.
   *
   * @param isShadow whether the call is never refused, whatever the limits decide
   */
  void count(DescriptorRuling ruling, boolean isShadow) {
    counts[RequestOutcome.of(ruling).ordinal()].increment();
    if (ruling.allowed() && wouldBeRefused(ruling, isShadow)) {
      shadowDenied.increment();
    }
  }

  private static boolean wouldBeRefused(DescriptorRuling ruling, boolean isShadow) {
    List<DescriptorRuling.Answer> answers = ruling.answers();
    for (int i = 0; i < answers.size(); i++) {
      Ruling each = answers.get(i).ruling();
      if (isRefused(each.shadows()) || (isShadow && !each.allowed())) {
        return true;
      }
    }
    return false;
  }

  private static boolean isRefused(List<Verdict> verdicts) {
    for (int i = 0; i < verdicts.size(); i++) {
      if (!verdicts.get(i).decision().allowed()) {
        return true;
      }
    }
    return false;
  }

  /** How many requests had that outcome. */
  public long count(RequestOutcome outcome) {
    return counts[outcome.ordinal()].sum();
  }

  /** Whether any request was counted. */
  boolean isUsed() {
    for (LongAdder each : counts) {
      if (each.sum() != 0) {
        return true;
      }
    }
    return false;
  }

  /** How many allowed requests a shadow rule would have refused. */
  public long shadowDenied() {
    return shadowDenied.sum();
  }
}
