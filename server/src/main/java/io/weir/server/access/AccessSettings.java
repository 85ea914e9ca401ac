package io.weir.server.access;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The settings of the access log. Immutable.
 *
 * @param isOn whether there is one
 * @param file its file; empty: standard output
 * @param percent how many requests have a line, chosen at random
 */
public record AccessSettings(
    boolean isOn, Optional<Path> file, AccessFormat format, double percent) {
  /** No access log. */
  public static final AccessSettings OFF =
      new AccessSettings(false, Optional.empty(), AccessFormat.COMBINED, 100);
}
