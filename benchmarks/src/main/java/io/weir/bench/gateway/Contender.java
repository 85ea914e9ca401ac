package io.weir.bench.gateway;

import io.weir.bench.contest.Entrant;

/** The contenders. */
enum Contender implements Entrant {
  NGINX("nginx"),
  NGINX_LIMITING("nginx + limit_req"),
  SPRING("Spring Cloud Gateway"),
  PLAIN("Weir without a rule"),
  UNSEEING("Weir without insight"),
  WEIR("Weir");

  private final String label;

  Contender(String label) {
    this.label = label;
  }

  @Override
  public String label() {
    return label;
  }
}
