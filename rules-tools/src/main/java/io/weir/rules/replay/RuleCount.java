package io.weir.rules.replay;

import io.weir.rules.Rule;

/** The number of events for a rule. */
public record RuleCount(Rule rule, long count) {}
