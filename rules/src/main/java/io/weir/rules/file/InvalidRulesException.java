package io.weir.rules.file;

import java.util.List;
import java.util.stream.Collectors;

/** Rule files that cannot be used, with all that is wrong with them. */
public final class InvalidRulesException extends RuntimeException {
  private final List<Problem> problems;

  /** Rules with these errors. */
  public InvalidRulesException(List<Problem> problems) {
    super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  /** The errors, by file and line. */
  public List<Problem> problems() {
    return problems;
  }
}
