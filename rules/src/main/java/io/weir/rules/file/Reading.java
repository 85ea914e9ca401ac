package io.weir.rules.file;

import io.weir.rules.Problem;
import io.weir.rules.RuleSet;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The result of reading rule files.
 *
 * @param rules all rules together; empty if there is an error
 * @param problems the errors of all files, by file and line
 * @param files all files that were read or looked for, lookup tables included
 * @param missing the requested paths that do not exist
 */
public record Reading(
    Optional<RuleSet> rules, List<Problem> problems, Set<Path> files, List<Path> missing) {
  /** Copies the collections. */
  public Reading {
    problems = List.copyOf(problems);
    files = Set.copyOf(files);
    missing = List.copyOf(missing);
  }
}
