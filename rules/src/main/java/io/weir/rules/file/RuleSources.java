package io.weir.rules.file;

import io.weir.OnFailure;
import java.nio.file.Path;
import java.util.List;

/**
 * All that rules are read from.
 *
 * @param paths files and directories, which may change
 * @param carried rules that a program carries with it, which stay as they are
 * @param onFailure what holds for rules that do not say what holds when the store cannot be asked
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
