package io.weir.bench.filter;

import io.weir.bench.rounds.SuiteScenario;

/** The scenarios, in the order of the report. */
enum Scenario implements SuiteScenario {
  REQUEST("Spring Boot: what a filter adds to a request"),
  START("Spring Boot: what it adds to a start");

  private final String title;

  Scenario(String title) {
    this.title = title;
  }

  @Override
  public String suite() {
    return "spring";
  }

  @Override
  public String title() {
    return title;
  }
}
