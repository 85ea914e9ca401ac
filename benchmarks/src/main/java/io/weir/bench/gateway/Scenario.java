package io.weir.bench.gateway;

import io.weir.bench.line.Choice;
import java.util.List;

/** What can be measured, in the order of the report. */
enum Scenario implements Choice {
  PROXY("Gateway: a token bucket for each client"),
  REFUSALS("Gateway: refusals"),
  LIMITING("Gateway: what limiting adds");

  private final String title;

  Scenario(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }

  /** The name in the results file. */
  String section() {
    return "gateway-" + id();
  }

  static Scenario of(String id) {
    return Choice.of(values(), "scenario", id);
  }

  static List<String> ids() {
    return Choice.ids(values());
  }
}
