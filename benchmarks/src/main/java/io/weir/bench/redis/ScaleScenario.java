package io.weir.bench.redis;

import io.weir.bench.rounds.SuiteScenario;

/** The scenarios for consistencies other than the default, in the order of the report. */
enum ScaleScenario implements SuiteScenario {
  LEASED("Scale: 1,000 hot keys, two nodes"),
  USERS("Scale: 100 a minute for each user, leased"),
  STRICT("Scale: strict beside exact");

  private final String title;

  ScaleScenario(String title) {
    this.title = title;
  }

  @Override
  public String suite() {
    return "scale";
  }

  @Override
  public String title() {
    return title;
  }
}
