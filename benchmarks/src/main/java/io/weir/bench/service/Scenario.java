package io.weir.bench.service;

import io.weir.bench.line.Choice;
import java.util.List;

/** What can be measured, in the order of the report. */
enum Scenario implements Choice {
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

  /** The name in the results file. */
  String section() {
    return "service-" + id();
  }

  static Scenario of(String id) {
    return Choice.of(values(), "scenario", id);
  }

  static List<String> ids() {
    return Choice.ids(values());
  }
}
