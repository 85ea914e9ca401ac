package io.weir.rules.file;

import io.weir.rules.yaml.YamlNode.Mapping;

/** A format of rule files. */
@FunctionalInterface
interface RuleFileForm {
  /**
   * Reads a file of this form. Adds its content to {@code draft}, and all errors to the draft's
   * problems.
   */
  void read(Mapping file, Draft draft);
}
