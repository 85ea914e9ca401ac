package io.weir.rules.file;

import io.weir.rules.file.Node.Mapping;

/** The Lyft/Envoy form: {@code domain:} and {@code descriptors:}. */
final class EnvoyForm implements Form {
  static final String KEY = "descriptors";

  @Override
  public void read(Mapping file, Draft draft) {
    draft.problems().error(file.place(), "the Lyft/Envoy form cannot be read yet");
  }
}
