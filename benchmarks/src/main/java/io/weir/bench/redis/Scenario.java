package io.weir.bench.redis;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What can be measured, in the order of the report. */
enum Scenario {
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

  /** The name on the command line. */
  String id() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The name in the results file. */
  String section() {
    return "redis-" + id();
  }

  static Scenario of(String id) {
    return Arrays.stream(values())
        .filter(scenario -> scenario.id().equals(id))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "unknown scenario '" + id + "'; known are: " + String.join(", ", ids())));
  }

  static List<String> ids() {
    return Arrays.stream(values()).map(Scenario::id).collect(Collectors.toList());
  }
}
