package io.weir.rules.file;

import io.weir.rules.Problem;
import java.util.List;
import java.util.stream.Collectors;

/** Thrown for invalid rule files; contains all of their errors. */
public final class InvalidRulesException extends RuntimeException {
  private final List<Problem> problems;

  /** Creates an exception with these errors. */
  public InvalidRulesException(List<Problem> problems) {
    super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  /** The errors, by file and line. */
  public List<Problem> problems() {
    return problems;
  }
}
