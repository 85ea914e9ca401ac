package io.weir.bench.redis;

import io.weir.bench.line.Choice;
import java.util.List;

/** What can be measured, in the order of the report. */
enum Scenario implements Choice {
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

  String title() {
    return title;
  }

  /** The name in the results file. */
  String section() {
    return "redis-" + id();
  }

  static Scenario of(String id) {
    return Choice.of(values(), "scenario", id);
  }

  static List<String> ids() {
    return Choice.ids(values());
  }
}
