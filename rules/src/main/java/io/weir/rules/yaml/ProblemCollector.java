package io.weir.rules.yaml;

import io.weir.rules.Problem;
import io.weir.rules.SourceLocation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Collects the problems of files while they are read. */
public final class ProblemCollector {
  /** A bound on memory for files with an error in every line; more than a person would read. */
  public static final int MAX_PROBLEMS = 1000;

  private final List<Problem> found = new ArrayList<>();
  private final Map<String, Integer> files = new HashMap<>();
  private boolean isFull;

  /** Starts a file. Problems are reported in this order of files. */
  public void reading(String file) {
    files.putIfAbsent(file, files.size());
  }

  public void error(SourceLocation sourceLocation, String message) {
    reading(sourceLocation.file());
    if (found.size() < MAX_PROBLEMS) {
      found.add(Problem.error(sourceLocation, message));
    } else if (!isFull) {
      isFull = true;
      found.add(
          Problem.error(
              sourceLocation,
              "more than " + MAX_PROBLEMS + " errors; further errors are not listed"));
    }
  }

  /** How many there are so far; used to check whether a step found any. */
  public int count() {
    return found.size();
  }

  public boolean isEmpty() {
    return found.isEmpty();
  }

  /** All problems in the order of files, lines and columns, without duplicates. */
  public List<Problem> inOrder() {
    return found.stream()
        .distinct() // an alias leads to the same lines again
        .sorted(
            java.util.Comparator.<Problem>comparingInt(
                    problem -> files.getOrDefault(problem.sourceLocation().file(), 0))
                .thenComparingInt(problem -> problem.sourceLocation().line())
                .thenComparingInt(problem -> problem.sourceLocation().column()))
        .toList();
  }
}
