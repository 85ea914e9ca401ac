package io.weir.server.access;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What is written to the access log.
 *
 * @param isOn whether there is one
 * @param file where it goes; empty: standard output
 * @param percent how many of the requests have a line, chosen at random
 */
public record AccessSettings(
    boolean isOn, Optional<Path> file, AccessFormat format, double percent) {
  /** None is written. */
  public static final AccessSettings OFF =
      new AccessSettings(false, Optional.empty(), AccessFormat.COMBINED, 100);
}
