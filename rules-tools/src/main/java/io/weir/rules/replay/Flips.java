package io.weir.rules.replay;

import java.util.List;

/**
 * Requests with different decisions by two rule sets, in one direction.
 *
 * @param requests how many
 * @param keys how many distinct keys they have
 * @param byRule how many by the rule that refuses, most first
 * @param byKey how many by the refused key, at most {@link RuleSummary#MAX_KEYS}, most first
 * @param overTime how many in each span of the first rules' timeline
 * @param examples the first few, by line; at most {@link #EXAMPLES}
 */
public record Flips(
    long requests,
    long keys,
    List<RuleCount> byRule,
    List<KeyCount> byKey,
    List<Long> overTime,
    List<Example> examples) {
  /** The maximum number of examples. */
  public static final int EXAMPLES = 10;

  /** Copies the lists. */
  public Flips {
    byRule = List.copyOf(byRule);
    byKey = List.copyOf(byKey);
    overTime = List.copyOf(overTime);
    examples = List.copyOf(examples);
  }

  /**
   * One of the requests.
   *
   * @param request as it was read
   * @param refusal the decision of the rule set that refuses it
   */
  public record Example(TraceRequest request, DecisionLine refusal) {}
}
