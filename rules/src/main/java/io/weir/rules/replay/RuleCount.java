package io.weir.rules.replay;

import io.weir.rules.Rule;

/** How often something happened by a rule. */
public record RuleCount(Rule rule, long count) {}
