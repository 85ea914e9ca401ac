package io.weir.rules.file;

import io.weir.rules.Place;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Collects the problems of files while they are read. */
final class Problems {
  /** A bound on memory for files with an error in every line; more than a person would read. */
  static final int MOST = 1000;

  private final List<Problem> found = new ArrayList<>();
  private final Map<String, Integer> files = new HashMap<>();
  private boolean isFull;

  /** Starts a file. Problems are reported in this order of files. */
  void reading(String file) {
    files.putIfAbsent(file, files.size());
  }

  void error(Place place, String message) {
    reading(place.file());
    if (found.size() < MOST) {
      found.add(Problem.error(place, message));
    } else if (!isFull) {
      isFull = true;
      found.add(
          Problem.error(place, "more than " + MOST + " errors; further errors are not listed"));
    }
  }

  /** How many there are so far; used to check whether a step found any. */
  int count() {
    return found.size();
  }

  boolean isEmpty() {
    return found.isEmpty();
  }

  /** All problems in the order of files, lines and columns, without duplicates. */
  List<Problem> inOrder() {
    return found.stream()
        .distinct() // an alias leads to the same lines again
        .sorted(
            java.util.Comparator.<Problem>comparingInt(
                    problem -> files.getOrDefault(problem.place().file(), 0))
                .thenComparingInt(problem -> problem.place().line())
                .thenComparingInt(problem -> problem.place().column()))
        .toList();
  }
}
