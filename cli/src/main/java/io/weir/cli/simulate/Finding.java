package io.weir.cli.simulate;

import io.weir.rules.Policy;
import io.weir.rules.replay.KeyCount;
import io.weir.rules.replay.RuleSummary;

/**
 * A remarkable fact about a rule, as text that follows its name.
 *
 * @param text such as {@code refuses 3 % of requests}
 */
record Finding(Weight weight, String text) {
  private static final double CLOSE = 0.8;
  private static final double GENEROUS = 0.55;

  /** How much it matters. */
  enum Weight {
    /** Callers are refused. */
    REFUSES,
    /** Needs attention. */
    LOOK,
    /** No problem. */
    WELL
  }

  /** The finding about {@code rule}. */
  static Finding about(RuleSummary rule, Wording wording) {
    if (rule.rule().policy().mode() == Policy.Mode.OFF) {
      return new Finding(Weight.LOOK, "is off");
    }
    if (rule.neverFired()) {
      return new Finding(Weight.LOOK, "never matched: no request of this trace met it");
    }
    if (rule.refused() == 0) {
      return spared(rule, wording);
    }
    String verb = rule.isShadow() ? "is in shadow mode and would refuse " : "refuses ";
    return new Finding(
        rule.isShadow() ? Weight.LOOK : Weight.REFUSES,
        verb + wording.roughPercent(rule.refusedShare()) + " of requests" + whom(rule, wording));
  }

  private static String whom(RuleSummary rule, Wording wording) {
    if (rule.rule().per().isEmpty()) {
      return "";
    }
    KeyCount worst = rule.mostRefused().get(0);
    if (rule.keysRefused() == 1) {
      return ", all of one caller: " + Wording.shortened(worst.key(), 40);
    }
    double worstShare = Wording.share(worst.count(), rule.refused());
    return " and "
        + wording.roughPercent(Wording.share(rule.keysRefused(), rule.keys()))
        + " of callers ("
        + wording.count(rule.keysRefused())
        + " of "
        + wording.count(rule.keys())
        + ")"
        + (worstShare < 0.5
            ? ""
            : "; one of them, "
                + Wording.shortened(worst.key(), 40)
                + ", has "
                + wording.roughPercent(worstShare)
                + " of the refusals");
  }

  private static Finding spared(RuleSummary rule, Wording wording) {
    String start =
        (rule.isShadow() ? "is in shadow mode and would refuse no caller; " : "refuses no caller; ")
            + "peak use "
            + wording.roughPercent(rule.peakUse());
    if (rule.peakUse() >= CLOSE) {
      return new Finding(Weight.LOOK, start + ": close to the limit");
    }
    if (rule.peakUse() <= GENEROUS) {
      return new Finding(
          Weight.WELL, start + ": " + fraction(rule.peakUse()) + " of the limit would do");
    }
    return new Finding(Weight.WELL, start);
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
