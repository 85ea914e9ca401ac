package io.weir.runtime;

import io.weir.Consistency;
import io.weir.OnFailure;
import io.weir.Store;
import io.weir.rules.Policy;
import io.weir.rules.Problem;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.rules.file.InvalidRulesException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Checks whether a store supports the consistency and failure policies of the rules. */
final class ConsistencyCheck {
  private static final String SUPPORTED = "";

  private final Store store;
  // Keyed by enums: on JDK 17 the hash of a record keeps the application's class loader alive for
  // ever.
  private final Map<Consistency, Map<OnFailure, String>> found = new EnumMap<>(Consistency.class);

  private ConsistencyCheck(Store store) {
    this.store = store;
  }

  /**
   * Limiters are opened on first use, which would be too late for an error.
   *
   * @throws InvalidRulesException naming all rules with a guarantee that {@code store} does not
   *     support
   */
  static void require(Store store, RuleSet rules) {
    ConsistencyCheck consistencyCheck = new ConsistencyCheck(store);
    List<Problem> problems = new ArrayList<>();
    rules.domains().stream()
        .flatMap(domain -> domain.allRules().stream())
        .filter(rule -> rule.policy().mode() != Policy.Mode.OFF)
        .forEach(rule -> consistencyCheck.check(rule, problems));
    if (!problems.isEmpty()) {
      throw new InvalidRulesException(problems);
    }
  }

  private void check(Rule rule, List<Problem> problems) {
    Policy policy = rule.policy();
    String fault =
        found
            .computeIfAbsent(policy.consistency(), any -> new EnumMap<>(OnFailure.class))
            .computeIfAbsent(policy.onFailure(), any -> fault(policy));
    if (!fault.equals(SUPPORTED)) {
      problems.add(Problem.error(rule.sourceLocation(), "rule '" + rule.name() + "': " + fault));
    }
  }

  private String fault(Policy policy) {
    try {
      store.requireKept(policy.consistency(), policy.onFailure());
      return SUPPORTED;
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
