package io.weir.bench.redis;

import io.weir.bench.rounds.SuiteScenario;

/** The scenarios, in the order of the report. */
enum Scenario implements SuiteScenario {
  KEYS("Redis: many keys"),
  HOT("Redis: one hot key"),
  NODES("Redis: one hot key, four nodes"),
  SCRIPT("Redis: what the script costs the server"),
  FLOOD("Redis: a flood on an exhausted key"),
  LATENCY("Redis: latency at half load"),
  MEMORY("Redis: bytes a key"),
  HANG("Redis: a server that hangs");

  private final String title;

  Scenario(String title) {
    this.title = title;
  }

  @Override
  public String suite() {
    return "redis";
  }

  @Override
  public String title() {
    return title;
  }
}
