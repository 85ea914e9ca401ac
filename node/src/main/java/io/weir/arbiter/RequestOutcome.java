package io.weir.arbiter;

import io.weir.rules.DescriptorRuling;
import io.weir.rules.Ruling;
import io.weir.rules.Verdict;
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
   * Nothing was decided, since the store could not be asked and {@code on_failure} is {@code
   * error}: the response is 503, or UNAVAILABLE over gRPC.
   */
  ERROR;

  /** The outcome of a request. */
  public static RequestOutcome of(Ruling ruling) {
    if (!ruling.allowed()) {
      return ruling.isError() ? ERROR : DENIED;
    }
    if (isUnmatched(ruling)) {
      return UNMATCHED;
    }
    return ruling.delay().isZero() ? ALLOWED : DELAYED;
  }

  /** The outcome of one call with any number of descriptors. */
  public static RequestOutcome of(DescriptorRuling ruling) {
    if (!ruling.allowed()) {
      return ruling.isError() ? ERROR : DENIED;
    }
    RequestOutcome found = UNMATCHED;
    List<DescriptorRuling.Answer> answers = ruling.answers();
    for (int i = 0; i < answers.size(); i++) {
      Ruling each = answers.get(i).ruling();
      if (!each.delay().isZero()) {
        return DELAYED;
      }
      found = isUnmatched(each) ? found : ALLOWED;
    }
    return found;
  }

  /**
   * The verdict that decided a call for descriptors: of the first that was refused, or else of the
   * first that a rule applied to; empty if no enforced rule applied.
   */
  public static Optional<Verdict> deciding(DescriptorRuling ruling) {
    Optional<Verdict> found = Optional.empty();
    for (DescriptorRuling.Answer answer : ruling.answers()) {
      Ruling each = answer.ruling();
      if (!ruling.allowed() && !each.allowed()) {
        return each.deciding();
      }
      found = found.isPresent() ? found : each.deciding();
    }
    return found;
  }

  private static boolean isUnmatched(Ruling ruling) {
    return ruling.verdicts().isEmpty() && ruling.shadows().isEmpty();
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
