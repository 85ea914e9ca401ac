package io.weir.rules.file;

import io.weir.OnFailure;
import java.nio.file.Path;
import java.util.List;

/**
 * All sources of rules.
 *
 * @param paths files and directories, which may change
 * @param carried rules embedded in a program, which do not change
 * @param onFailure the default {@code on_failure} of rules
 */
public record RuleSources(List<Path> paths, List<Carried> carried, OnFailure onFailure) {
  /** Copies the lists. */
  public RuleSources {
    paths = List.copyOf(paths);
    carried = List.copyOf(carried);
  }

  /** Files and directories alone. */
  public static RuleSources of(List<Path> paths) {
    return new RuleSources(paths, List.of(), OnFailure.ALLOW);
  }
}
