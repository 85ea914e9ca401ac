package io.weir.bench.service;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Who can take part. */
enum Contender {
  FLOOR("empty service of the same stack"),
  BARE("bare answer over HTTP/2"),
  WEIR("Weir"),
  RATELIMIT("envoyproxy/ratelimit"),
  GUBERNATOR("Gubernator"),
  LIMITADOR("Limitador");

  private final String label;

  Contender(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }

  /** The name on the command line. */
  String id() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Contender of(String id) {
    return Arrays.stream(values())
        .filter(contender -> contender.id().equals(id))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "unknown contender '" + id + "'; known are: " + String.join(", ", ids())));
  }

  static List<String> ids() {
    return Arrays.stream(values()).map(Contender::id).toList();
  }
}
