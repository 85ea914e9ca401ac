package io.weir.rules;

import io.weir.Decision;
import io.weir.OnFailure;
import io.weir.Origin;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What all rules together say to one request: it may go if each enforced rule that applies allows
 * it.
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
   * A ruling out of the verdicts of the rules that apply, in the order of the file.
   *
   * @param verdicts of enforced rules
   * @param shadows of rules that are only tried; none if an enforced one refused
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

  /** The weightier one; of equals the longer wait, never being the longest, or the least left. */
  private static boolean decides(Verdict one, Verdict other) {
    int weight = weight(one) - weight(other);
    return weight == 0 ? decides(one.decision(), other.decision()) : weight > 0;
  }

  /**
   * A store's refusal beats one that is a failure's, which beats an error; an allowance that
   * somebody has counted beats one that nobody has.
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

  /** Whether the request may go. */
  public boolean allowed() {
    return deciding == null || deciding.decision().allowed();
  }

  /**
   * Whether nothing was decided: the store could not be asked, and a rule says that whoever asks is
   * to be told so.
   */
  public boolean isError() {
    return deciding != null && isError(deciding);
  }

  /** The verdict that decided; empty if no enforced rule applies. */
  public Optional<Verdict> deciding() {
    return Optional.ofNullable(deciding);
  }

  /**
   * How many requests of cost 1 would still be allowed now: the least over all rules whose store
   * could be asked.
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

  /** How long to hold an allowed request before it goes. */
  public Duration delay() {
    Duration longest = Duration.ZERO;
    for (int i = 0; i < verdicts.size(); i++) { // it is asked of each request: without an iterator
      Duration delay = verdicts.get(i).decision().delay();
      longest = allowed() && delay.compareTo(longest) > 0 ? delay : longest;
    }
    return longest;
  }

  /** Of each enforced rule that applies, in the order of the file. */
  public List<Verdict> verdicts() {
    return verdicts;
  }

  /** Of each rule that is only tried. */
  public List<Verdict> shadows() {
    return shadows;
  }

  @Override
  public String toString() {
    return "Ruling" + verdicts + (shadows.isEmpty() ? "" : ", shadows " + shadows);
  }
}
