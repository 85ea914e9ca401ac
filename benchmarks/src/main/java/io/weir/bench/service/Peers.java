package io.weir.bench.service;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The programs of other rate limit services, as far as they are available.
 *
 * @param ratelimit envoyproxy/ratelimit
 * @param gubernator Gubernator
 * @param limitador Limitador
 */
record Peers(Optional<Path> ratelimit, Optional<Path> gubernator, Optional<Path> limitador) {
  /** None. */
  static final Peers NONE = new Peers(Optional.empty(), Optional.empty(), Optional.empty());

  Peers withRatelimit(Path program) {
    return new Peers(Optional.of(checked("--ratelimit", program)), gubernator, limitador);
  }

  Peers withGubernator(Path program) {
    return new Peers(ratelimit, Optional.of(checked("--gubernator", program)), limitador);
  }

  Peers withLimitador(Path program) {
    return new Peers(ratelimit, gubernator, Optional.of(checked("--limitador", program)));
  }

  private static Path checked(String option, Path program) {
    if (!Files.isExecutable(program)) {
      throw new IllegalArgumentException(option + ": " + program + " is not a program");
    }
    return program.toAbsolutePath();
  }
}
