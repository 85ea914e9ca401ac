package io.weir.rules.engine;

import io.weir.rules.LimitGroup;
import io.weir.rules.Rule;
import io.weir.rules.RuleOverride;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Numbers the limit groups of a rule set. */
public final class LimitGroups {
  private final List<LimitGroup> all = new ArrayList<>();
  private final Set<String> ids = new HashSet<>();

  /** The rule's own limits. */
  LimitGroup add(Rule rule) {
    return add(new LimitGroup(all.size(), rule, Optional.empty(), 0, rule.limits()));
  }

  /** The limits of the override at {@code index}. */
  LimitGroup add(Rule rule, int index) {
    RuleOverride ruleOverride = rule.ruleOverrides().get(index);
    return add(
        new LimitGroup(
            all.size(), rule, Optional.of(ruleOverride), index + 1, ruleOverride.limits()));
  }

  private LimitGroup add(LimitGroup limitGroup) {
    if (!ids.add(limitGroup.id())) {
      throw new IllegalArgumentException(
          "rule '" + limitGroup.rule().name() + "' has two overrides of the same name or match");
    }
    all.add(limitGroup);
    return limitGroup;
  }

  public List<LimitGroup> all() {
    return List.copyOf(all);
  }
}
