package io.weir.bench.gateway;

import io.weir.bench.rounds.SuiteScenario;

/** The scenarios, in the order of the report. */
enum Scenario implements SuiteScenario {
  PROXY("Gateway: a token bucket for each client"),
  REFUSALS("Gateway: refusals"),
  LIMITING("Gateway: what limiting adds"),
  SEEING("Gateway: what insight adds");

  private final String title;

  Scenario(String title) {
    this.title = title;
  }

  @Override
  public String suite() {
    return "gateway";
  }

  @Override
  public String title() {
    return title;
  }
}
