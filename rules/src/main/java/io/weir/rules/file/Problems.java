package io.weir.rules.file;

import io.weir.rules.Place;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What is wrong with the files, gathered while they are read. */
final class Problems {
  /** More than anybody reads; a file that is wrong in every line stays bounded. */
  static final int MOST = 1000;

  private final List<Problem> found = new ArrayList<>();
  private final Map<String, Integer> files = new HashMap<>();
  private boolean isFull;

  /** Says that {@code file} is read now: problems are told in this order of files. */
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
          Problem.error(place, "more than " + MOST + " errors; from here on they are not told"));
    }
  }

  /** How many there are so far: whether a step found any. */
  int count() {
    return found.size();
  }

  boolean isEmpty() {
    return found.isEmpty();
  }

  /** All of them, in the order of files, lines and columns; each once. */
  List<Problem> inOrder() {
    return found.stream()
        .distinct() // an alias brings the same lines up again
        .sorted(
            java.util.Comparator.<Problem>comparingInt(
                    problem -> files.getOrDefault(problem.place().file(), 0))
                .thenComparingInt(problem -> problem.place().line())
                .thenComparingInt(problem -> problem.place().column()))
        .toList();
  }
}
