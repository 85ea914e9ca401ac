package io.weir.rules.lint;

import io.weir.rules.RuleSet;
import io.weir.rules.file.Problem;
import java.util.List;

/** Finds what is valid in a rule set but probably not meant. */
public final class Lint {
  private Lint() {}

  /** All warnings, by file and line. */
  public static List<Problem> of(RuleSet rules) {
    return List.of();
  }
}
