package io.weir.rules.file;

import io.weir.rules.RuleSet;
import java.nio.file.Path;
import java.util.List;

/** Reads rule files and directories of them. */
public final class RuleFiles {
  private RuleFiles() {}

  /**
   * The rules of all {@code paths}, files and directories, together.
   *
   * @throws InvalidRulesException with all errors of all files
   */
  public static RuleSet load(List<Path> paths) {
    throw new InvalidRulesException(List.of());
  }
}
