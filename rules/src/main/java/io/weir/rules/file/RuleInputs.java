package io.weir.rules.file;

import io.weir.OnFailure;
import java.nio.file.Path;
import java.util.List;

/**
 * All sources of rules.
 *
 * @param paths files and directories, which may change
 * @param inlineRules rules embedded in a program, which do not change
 * @param onFailure the default {@code on_failure} of rules
 */
public record RuleInputs(List<Path> paths, List<InlineRules> inlineRules, OnFailure onFailure) {
  /** Copies the lists. */
  public RuleInputs {
    paths = List.copyOf(paths);
    inlineRules = List.copyOf(inlineRules);
  }

  /** Files and directories alone. */
  public static RuleInputs of(List<Path> paths) {
    return new RuleInputs(paths, List.of(), OnFailure.ALLOW);
  }
}
