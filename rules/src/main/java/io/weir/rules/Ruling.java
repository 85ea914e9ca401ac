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
public final class Ruling {
  private static final Ruling UNLIMITED = new Ruling(List.of(), List.of());

  private final List<Verdict> verdicts;
  private final List<Verdict> shadows;
  private final @Nullable Verdict deciding;

  private Ruling(List<Verdict> verdicts, List<Verdict> shadows) {
    this.verdicts = List.copyOf(verdicts);
    this.shadows = List.copyOf(shadows);
    this.deciding = deciding(verdicts);
  }

  /**
   * Combines the verdicts of the rules that apply, in the order of the file.
   *
   * @param verdicts of enforced rules
   * @param shadows of rules in shadow mode; none if an enforced rule refused
   */
  public static Ruling of(List<Verdict> verdicts, List<Verdict> shadows) {
    return verdicts.isEmpty() && shadows.isEmpty() ? UNLIMITED : new Ruling(verdicts, shadows);
  }

  private static @Nullable Verdict deciding(List<Verdict> verdicts) {
    Verdict decider = null;
    for (Verdict verdict : verdicts) {
      if (decider == null || decides(verdict, decider)) {
        decider = verdict;
      }
    }
    return decider;
  }

  /**
   * The verdict with the higher weight decides. Between equals it is the longer wait (never fits is
   * the longest) or the fewest remaining permits.
   */
  private static boolean decides(Verdict one, Verdict other) {
    int weight = weight(one) - weight(other);
    return weight == 0 ? decides(one.decision(), other.decision()) : weight > 0;
  }

  /**
   * A refusal by the store outranks one by a failure policy, which outranks an error. An allowance
   * counted by the store outranks one by a failure policy.
   */
  private static int weight(Verdict verdict) {
    boolean isCounted = verdict.decision().origin() != Origin.FAILURE;
    if (verdict.decision().allowed()) {
      return isCounted ? 1 : 0;
    }
    return isCounted ? 4 : isError(verdict) ? 2 : 3;
  }

  static boolean isError(Verdict verdict) {
    return verdict.decision().origin() == Origin.FAILURE
        && verdict.rule().policy().onFailure() == OnFailure.ERROR;
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

  /** The deciding verdict; empty if no enforced rule applies. */
  public Optional<Verdict> deciding() {
    return Optional.ofNullable(deciding);
  }

  /**
   * How many requests of cost 1 would still be allowed now: the minimum over all rules with a
   * reachable store.
   */
  public long remaining() {
    long least = Long.MAX_VALUE;
    for (Verdict verdict : verdicts) {
      boolean isCounted = verdict.decision().origin() != Origin.FAILURE;
      least = isCounted ? Math.min(least, verdict.decision().remaining()) : least;
    }
    return least;
  }

  /** How long to wait until the request fits; zero when allowed, empty when it never fits. */
  public Optional<Duration> retryAfter() {
    return deciding == null ? Optional.of(Duration.ZERO) : deciding.decision().retryAfter();
  }

  /** How long to delay an allowed request. */
  public Duration delay() {
    Duration longest = Duration.ZERO;
    for (int i = 0; i < verdicts.size(); i++) { // called for each request, so it avoids an iterator
      Duration delay = verdicts.get(i).decision().delay();
      longest = allowed() && delay.compareTo(longest) > 0 ? delay : longest;
    }
    return longest;
  }

  /** The verdicts of all enforced rules that apply, in the order of the file. */
  public List<Verdict> verdicts() {
    return verdicts;
  }

  /** The verdicts of all rules in shadow mode. */
  public List<Verdict> shadows() {
    return shadows;
  }

  @Override
  public String toString() {
    return "Ruling" + verdicts + (shadows.isEmpty() ? "" : ", shadows " + shadows);
  }
}
