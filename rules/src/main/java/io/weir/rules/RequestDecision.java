package io.weir.rules;

import io.weir.Decision;
import io.weir.OnFailure;
import io.weir.Origin;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The decision of all rules on one request: allowed if each enforced rule that applies allows it.
 * Immutable.
 */
public final class RequestDecision {
  private static final RequestDecision UNLIMITED = new RequestDecision(List.of(), List.of());

  private final List<RuleDecision> ruleDecisions;
  private final List<RuleDecision> shadows;
  private final @Nullable RuleDecision deciding;

  private RequestDecision(List<RuleDecision> ruleDecisions, List<RuleDecision> shadows) {
    this.ruleDecisions = List.copyOf(ruleDecisions);
    this.shadows = List.copyOf(shadows);
    this.deciding = deciding(ruleDecisions);
  }

  /**
   * Combines the decisions of the rules that apply, in the order of the file.
   *
   * @param ruleDecisions of enforced rules
   * @param shadows of rules in shadow mode; none if an enforced rule refused
   */
  public static RequestDecision of(List<RuleDecision> ruleDecisions, List<RuleDecision> shadows) {
    return ruleDecisions.isEmpty() && shadows.isEmpty()
        ? UNLIMITED
        : new RequestDecision(ruleDecisions, shadows);
  }

  private static @Nullable RuleDecision deciding(List<RuleDecision> ruleDecisions) {
    RuleDecision decider = null;
    for (RuleDecision ruleDecision : ruleDecisions) {
      if (decider == null || decides(ruleDecision, decider)) {
        decider = ruleDecision;
      }
    }
    return decider;
  }

  /**
   * The decision with the higher weight decides. Between equals it is the longer wait (never fits
   * is the longest) or the fewest remaining permits.
   */
  private static boolean decides(RuleDecision one, RuleDecision other) {
    int weight = weight(one) - weight(other);
    return weight == 0 ? decides(one.decision(), other.decision()) : weight > 0;
  }

  /**
   * A refusal by the store outranks one by a failure policy, which outranks an error. An allowance
   * counted by the store outranks one by a failure policy.
   */
  private static int weight(RuleDecision ruleDecision) {
    boolean isCounted = ruleDecision.decision().origin() != Origin.FAILURE;
    if (ruleDecision.decision().allowed()) {
      return isCounted ? 1 : 0;
    }
    return isCounted ? 4 : isError(ruleDecision) ? 2 : 3;
  }

  public static boolean isError(RuleDecision ruleDecision) {
    return ruleDecision.decision().origin() == Origin.FAILURE
        && ruleDecision.rule().policy().onFailure() == OnFailure.ERROR;
  }

  private static boolean decides(Decision one, Decision other) {
    if (one.allowed()) {
      return one.remaining() < other.remaining();
    }
    if (one.neverFits() || other.neverFits()) {
      return one.neverFits() && !other.neverFits();
    }
    return one.retryAfter().orElseThrow().compareTo(other.retryAfter().orElseThrow()) > 0;
  }

  /** Whether the request is allowed. */
  public boolean allowed() {
    return deciding == null || deciding.decision().allowed();
  }

  /**
   * Whether there is no decision: the store could not be reached, and a rule has {@code on_failure:
   * error}.
   */
  public boolean isError() {
    return deciding != null && isError(deciding);
  }

  /** The decision that decides the request; empty if no enforced rule applies. */
  public Optional<RuleDecision> deciding() {
    return Optional.ofNullable(deciding);
  }

  /**
   * How many requests of cost 1 would still be allowed now: the minimum over all rules with a
   * reachable store.
   */
  public long remaining() {
    long min = Long.MAX_VALUE;
    for (RuleDecision ruleDecision : ruleDecisions) {
      boolean isCounted = ruleDecision.decision().origin() != Origin.FAILURE;
      min = isCounted ? Math.min(min, ruleDecision.decision().remaining()) : min;
    }
    return min;
  }

  /** How long to wait until the request fits; zero when allowed, empty when it never fits. */
  public Optional<Duration> retryAfter() {
    return deciding == null ? Optional.of(Duration.ZERO) : deciding.decision().retryAfter();
  }

  /** How long to delay an allowed request. */
  public Duration delay() {
    Duration max = Duration.ZERO;
    for (int i = 0;
        i < ruleDecisions.size();
        i++) { // called for each request, so it avoids an iterator
      Duration delay = ruleDecisions.get(i).decision().delay();
      max = allowed() && delay.compareTo(max) > 0 ? delay : max;
    }
    return max;
  }

  /** The decisions of all enforced rules that apply, in the order of the file. */
  public List<RuleDecision> ruleDecisions() {
    return ruleDecisions;
  }

  /** The decisions of all rules in shadow mode. */
  public List<RuleDecision> shadows() {
    return shadows;
  }

  @Override
  public String toString() {
    return "RequestDecision" + ruleDecisions + (shadows.isEmpty() ? "" : ", shadows " + shadows);
  }
}
