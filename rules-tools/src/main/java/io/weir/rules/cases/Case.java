package io.weir.rules.cases;

import io.weir.rules.RuleSet;
import io.weir.rules.SourceLocation;
import java.time.Instant;
import java.util.List;

/**
 * A test of rules, which starts with full buckets.
 *
 * @param start the origin of its times
 * @param caseSteps in order of time
 */
public record Case(
    String name,
    SourceLocation sourceLocation,
    RuleSet rules,
    Instant start,
    List<CaseStep> caseSteps) {
  /** Copies the list. */
  public Case {
    caseSteps = List.copyOf(caseSteps);
  }
}
