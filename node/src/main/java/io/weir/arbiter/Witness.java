package io.weir.arbiter;

import io.weir.Decision;

/**
 * Sees each decision as it is counted, on the thread that made it: whatever it does there, all
 * callers wait for it.
 */
@FunctionalInterface
public interface Witness {
  /** Nobody looks. */
  Witness NOBODY = (rule, key, override, outcome, decision) -> {};

  /**
   * A rule has had its say.
   *
   * @param key whose bucket: see {@link io.weir.rules.Verdict}
   * @param override which of its overrides replaced its limits, from 1; 0: its own limits hold
   */
  void saw(RuleTally rule, String key, int override, Outcome outcome, Decision decision);
}
