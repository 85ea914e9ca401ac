package io.weir.bench.gateway;

import io.weir.bench.contest.Entrant;
import io.weir.bench.line.Choice;
import java.util.List;

/** Who can take part. */
enum Contender implements Choice, Entrant {
  NGINX("nginx"),
  NGINX_LIMITING("nginx + limit_req"),
  SPRING("Spring Cloud Gateway"),
  PLAIN("Weir without a rule"),
  WEIR("Weir");

  private final String label;

  Contender(String label) {
    this.label = label;
  }

  @Override
  public String label() {
    return label;
  }

  @Override
  public String id() {
    return Choice.super.id().replace('_', '-');
  }

  static Contender of(String id) {
    return Choice.of(values(), "contender", id);
  }

  static List<String> ids() {
    return Choice.ids(values());
  }
}
