package io.weir.bench.gateway;

import io.weir.bench.server.Competitor;

/** The contenders. */
enum Contender implements Competitor {
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
