package io.weir.server.admin;

import io.weir.StoreHealth;
import io.weir.rules.http.Json;

/** How the store is, as pages tell it. */
final class StoreView {
  private StoreView() {}

  /** {@code ok}, {@code degraded} or {@code down}. */
  static String state(StoreHealth health) {
    if (health.isWell()) {
      return "ok";
    }
    boolean isDown =
        health.parts().stream().allMatch(part -> part.state() == StoreHealth.State.DOWN);
    return isDown ? "down" : "degraded";
  }

  static void addTo(Json page, StoreHealth health) {
    page.open("store", '{').text("state", state(health)).open("parts", '[');
    for (StoreHealth.Part part : health.parts()) {
      page.begin('{').text("name", part.name()).text("state", breaker(part.state())).close();
    }
    page.end(']').number("calls", health.calls()).number("errors", health.errors());
    Tallies.micros(page, "median_us", health.median().toNanos(), !health.median().isZero());
    Tallies.micros(page, "p99_us", health.slowest().toNanos(), !health.slowest().isZero());
    page.number("nodes", health.nodes()).close();
  }

  private static String breaker(StoreHealth.State state) {
    return switch (state) {
      case UP -> "closed";
      case DEGRADED -> "half_open";
      case DOWN -> "open";
    };
  }
}
