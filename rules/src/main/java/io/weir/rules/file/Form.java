package io.weir.rules.file;

import io.weir.rules.file.Node.Mapping;

/** One of the forms that rule files come in. */
@FunctionalInterface
interface Form {
  /**
   * Reads a file of this form: adds what it says to {@code draft}, and what is wrong with it to the
   * draft's problems, all in one go.
   */
  void read(Mapping file, Draft draft);
}
