package io.weir.cli.simulate;

import io.weir.rules.Policy;
import io.weir.rules.replay.KeyCount;
import io.weir.rules.replay.RuleSummary;

/**
 * A remarkable fact about a rule, as text that follows its name.
 *
 * @param text such as {@code refuses 3 % of requests}
 */
record RuleFinding(Severity severity, String text) {
  private static final double CLOSE = 0.8;
  private static final double GENEROUS = 0.55;

  /** How much it matters. */
  enum Severity {
    /** Callers are refused. */
    REFUSES,
    /** Needs attention. */
    LOOK,
    /** No problem. */
    WELL
  }

  /** The finding about {@code rule}. */
  static RuleFinding about(RuleSummary rule, HumanFormat humanFormat) {
    if (rule.rule().policy().mode() == Policy.Mode.OFF) {
      return new RuleFinding(Severity.LOOK, "is off");
    }
    if (rule.neverFired()) {
      return new RuleFinding(Severity.LOOK, "never matched: no request of this trace met it");
    }
    if (rule.refused() == 0) {
      return spared(rule, humanFormat);
    }
    String verb = rule.isShadow() ? "is in shadow mode and would refuse " : "refuses ";
    return new RuleFinding(
        rule.isShadow() ? Severity.LOOK : Severity.REFUSES,
        verb
            + humanFormat.roughPercent(rule.refusedShare())
            + " of requests"
            + callersRefused(rule, humanFormat));
  }

  private static String callersRefused(RuleSummary rule, HumanFormat humanFormat) {
    if (rule.rule().per().isEmpty()) {
      return "";
    }
    KeyCount worst = rule.mostRefused().get(0);
    if (rule.keysRefused() == 1) {
      return ", all of one caller: " + HumanFormat.shortened(worst.key(), 40);
    }
    double worstShare = HumanFormat.share(worst.count(), rule.refused());
    return " and "
        + humanFormat.roughPercent(HumanFormat.share(rule.keysRefused(), rule.keys()))
        + " of callers ("
        + humanFormat.count(rule.keysRefused())
        + " of "
        + humanFormat.count(rule.keys())
        + ")"
        + (worstShare < 0.5
            ? ""
            : "; one of them, "
                + HumanFormat.shortened(worst.key(), 40)
                + ", has "
                + humanFormat.roughPercent(worstShare)
                + " of the refusals");
  }

  private static RuleFinding spared(RuleSummary rule, HumanFormat humanFormat) {
    String start =
        (rule.isShadow() ? "is in shadow mode and would refuse no caller; " : "refuses no caller; ")
            + "peak use "
            + humanFormat.roughPercent(rule.peakUse());
    if (rule.peakUse() >= CLOSE) {
      return new RuleFinding(Severity.LOOK, start + ": close to the limit");
    }
    if (rule.peakUse() <= GENEROUS) {
      return new RuleFinding(
          Severity.WELL, start + ": " + fraction(rule.peakUse()) + " of the limit would do");
    }
    return new RuleFinding(Severity.WELL, start);
  }

  /** The share in words, never below {@code use} by more than a rounding. */
  private static String fraction(double use) {
    double[] bounds = {0.01, 0.1, 0.2, 0.26, 0.35};
    String[] words = {"a hundredth", "a tenth", "a fifth", "a quarter", "about a third"};
    for (int i = 0; i < bounds.length; i++) {
      if (use <= bounds[i]) {
        return words[i];
      }
    }
    return "about half";
  }
}
