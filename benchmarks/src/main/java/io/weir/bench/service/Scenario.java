package io.weir.bench.service;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What can be measured, in the order of the report. */
enum Scenario {
  GRPC("Service: ShouldRateLimit, in memory"),
  HTTP("Service: /v1/check"),
  REDIS("Service: ShouldRateLimit, with Redis"),
  START("Service: start, and memory when idle");

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
    return "service-" + id();
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
    return Arrays.stream(values()).map(Scenario::id).toList();
  }
}
