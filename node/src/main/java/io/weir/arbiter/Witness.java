package io.weir.arbiter;

import io.weir.Decision;

/**
 * Sees each decision as it is counted, on the thread that made it: whatever it does there, all
 * callers wait for it.
 */
@FunctionalInterface
public interface Witness {
  /** Nobody looks. */
  Witness NOBODY = (rule, key, outcome, decision) -> {};

  /**
   * A rule has had its say.
   *
   * @param key whose bucket: see {@link io.weir.rules.Verdict}
   */
  void saw(RuleTally rule, String key, Outcome outcome, Decision decision);
}
