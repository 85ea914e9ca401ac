package io.weir.decision;

import io.weir.rules.RequestDecision;
import io.weir.rules.RuleDecision;
import io.weir.rules.envoy.DescriptorDecision;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the requests of one front end. Each request counts once: one that five rules refuse is one
 * refused request. Counting takes no lock and allocates nothing.
 */
public final class RequestCounters {
  private static final int OUTCOMES = RequestOutcome.values().length;

  private final LongAdder[] counts = new LongAdder[OUTCOMES];
  private final LongAdder shadowDenied = new LongAdder();

  RequestCounters() {
    for (int i = 0; i < OUTCOMES; i++) {
      counts[i] = new LongAdder();
    }
  }

  /** Counts a request that was decided. */
  public void count(RequestDecision requestDecision) {
    counts[RequestOutcome.of(requestDecision).ordinal()].increment();
    if (requestDecision.allowed() && isRefused(requestDecision.shadows())) {
      shadowDenied.increment();
    }
  }

  /**
   * Counts one call with descriptors.
   *
   * @param isShadow whether the call is never refused, whatever the limits decide
   */
  void count(DescriptorDecision descriptorDecision, boolean isShadow) {
    counts[RequestOutcome.of(descriptorDecision).ordinal()].increment();
    if (descriptorDecision.allowed() && wouldBeRefused(descriptorDecision, isShadow)) {
      shadowDenied.increment();
    }
  }

  private static boolean wouldBeRefused(DescriptorDecision descriptorDecision, boolean isShadow) {
    List<DescriptorDecision.DescriptorResult> descriptorResults =
        descriptorDecision.descriptorResults();
    for (int i = 0; i < descriptorResults.size(); i++) {
      RequestDecision each = descriptorResults.get(i).requestDecision();
      if (isRefused(each.shadows()) || (isShadow && !each.allowed())) {
        return true;
      }
    }
    return false;
  }

  private static boolean isRefused(List<RuleDecision> ruleDecisions) {
    for (int i = 0; i < ruleDecisions.size(); i++) {
      if (!ruleDecisions.get(i).decision().allowed()) {
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
