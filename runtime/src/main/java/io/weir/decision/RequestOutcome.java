package io.weir.decision;

import io.weir.rules.RequestDecision;
import io.weir.rules.RuleDecision;
import io.weir.rules.envoy.DescriptorDecision;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The outcome of a request over all rules that applied. Metrics, the dashboard, the access log and
 * spans all read it here, so that they agree.
 */
public enum RequestOutcome {
  /** All rules that applied allowed it at once. */
  ALLOWED,
  /** At least one rule refused it. */
  DENIED,
  /** All rules that applied allowed it, at least one of them only after a delay. */
  DELAYED,
  /** No rule applied, so it was allowed. */
  UNMATCHED,
  /**
   * Nothing was decided, because the store could not be reached and {@code on_failure} is {@code
   * error}: the response is 503, or UNAVAILABLE over gRPC.
   */
  ERROR;

  /** The outcome of a request. */
  public static RequestOutcome of(RequestDecision requestDecision) {
    if (!requestDecision.allowed()) {
      return requestDecision.isError() ? ERROR : DENIED;
    }
    if (isUnmatched(requestDecision)) {
      return UNMATCHED;
    }
    return requestDecision.delay().isZero() ? ALLOWED : DELAYED;
  }

  /** The outcome of one call with any number of descriptors. */
  public static RequestOutcome of(DescriptorDecision descriptorDecision) {
    if (!descriptorDecision.allowed()) {
      return descriptorDecision.isError() ? ERROR : DENIED;
    }
    RequestOutcome found = UNMATCHED;
    List<DescriptorDecision.DescriptorResult> descriptorResults =
        descriptorDecision.descriptorResults();
    for (int i = 0; i < descriptorResults.size(); i++) {
      RequestDecision each = descriptorResults.get(i).requestDecision();
      if (!each.delay().isZero()) {
        return DELAYED;
      }
      found = isUnmatched(each) ? found : ALLOWED;
    }
    return found;
  }

  /**
   * The decision that decided a call with descriptors: of the first that was refused, or else of
   * the first that a rule applied to; empty if no enforced rule applied.
   */
  public static Optional<RuleDecision> deciding(DescriptorDecision descriptorDecision) {
    Optional<RuleDecision> found = Optional.empty();
    for (DescriptorDecision.DescriptorResult descriptorResult :
        descriptorDecision.descriptorResults()) {
      RequestDecision each = descriptorResult.requestDecision();
      if (!descriptorDecision.allowed() && !each.allowed()) {
        return each.deciding();
      }
      found = found.isPresent() ? found : each.deciding();
    }
    return found;
  }

  private static boolean isUnmatched(RequestDecision requestDecision) {
    return requestDecision.ruleDecisions().isEmpty() && requestDecision.shadows().isEmpty();
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
