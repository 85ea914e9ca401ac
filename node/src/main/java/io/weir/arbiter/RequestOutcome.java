package io.weir.arbiter;

import io.weir.rules.DescriptorRuling;
import io.weir.rules.Ruling;
import java.util.List;
import java.util.Locale;

/** The outcome of a request over all rules that applied. */
public enum RequestOutcome {
  /** All rules that applied allowed it at once. */
  ALLOWED,
  /** At least one rule refused it. */
  DENIED,
  /** All rules that applied allowed it, at least one of them only after a delay. */
  DELAYED,
  /** No rule applied, so it was allowed. */
  UNMATCHED;

  /** The outcome of a request. */
  public static RequestOutcome of(Ruling ruling) {
    if (!ruling.allowed()) {
      return DENIED;
    }
    if (isUnmatched(ruling)) {
      return UNMATCHED;
    }
    return ruling.delay().isZero() ? ALLOWED : DELAYED;
  }

  /** The outcome of one call with any number of descriptors. */
  static RequestOutcome of(DescriptorRuling ruling) {
    if (!ruling.allowed()) {
      return DENIED;
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

  private static boolean isUnmatched(Ruling ruling) {
    return ruling.verdicts().isEmpty() && ruling.shadows().isEmpty();
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
