package io.weir.bench.service;

import io.weir.bench.server.Competitor;

/** The contenders. */
enum Contender implements Competitor {
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

  @Override
  public String label() {
    return label;
  }
}
