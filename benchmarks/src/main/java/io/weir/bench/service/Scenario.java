package io.weir.bench.service;

import io.weir.bench.rounds.SuiteScenario;

/** The scenarios, in the order of the report. */
enum Scenario implements SuiteScenario {
  GRPC("Service: ShouldRateLimit, in memory"),
  HTTP("Service: /v1/check"),
  REDIS("Service: ShouldRateLimit, with Redis"),
  START("Service: start, and memory when idle");

  private final String title;

  Scenario(String title) {
    this.title = title;
  }

  @Override
  public String suite() {
    return "service";
  }

  @Override
  public String title() {
    return title;
  }
}
