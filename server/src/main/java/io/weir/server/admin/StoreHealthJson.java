package io.weir.server.admin;

import io.weir.Fallbacks;
import io.weir.StoreHealth;
import io.weir.StoreHealth.Outage;
import io.weir.insight.series.StoreLastMinute;
import io.weir.rules.http.JsonWriter;
import java.time.Instant;

/** The store's health in the last minute, as JSON. */
final class StoreHealthJson {
  private StoreHealthJson() {}

  /** {@code ok}, {@code degraded} or {@code down}. */
  static String state(StoreLastMinute store) {
    return word(store.state());
  }

  private static String word(StoreHealth.State state) {
    return state == StoreHealth.State.UP ? "ok" : state.toString();
  }

  /** Adds all of it as an object, for the overview. */
  static void addTo(JsonWriter page, StoreLastMinute store) {
    StoreHealth health = store.health();
    addState(page.open("store", '{'), store);
    page.open("parts", '[');
    for (StoreHealth.Part part : health.parts()) {
      page.begin('{').text("name", part.name()).text("state", breaker(part.state()));
      boolean isUp = part.state() == StoreHealth.State.UP;
      page.text("problem", isUp ? null : part.reason()).close();
    }
    page.end(']').number("calls", health.calls()).number("errors", health.errors());
    CountsJson.micros(page, "median_us", health.median().toNanos(), !health.median().isZero());
    CountsJson.micros(page, "p99_us", health.slowest().toNanos(), !health.slowest().isZero());
    page.number("nodes", health.nodes()).close();
  }

  /** Adds the fields that the event {@code store} also has. */
  static JsonWriter addState(JsonWriter page, StoreLastMinute store) {
    page.text("state", state(store)).number("since", store.sinceMillis());
    page.open("minute", '{').number("calls", store.calls()).number("errors", store.errors());
    page.number("fallback", store.fallbacks()).close();
    page.open("rules", '[');
    for (StoreLastMinute.OfRule each : store.rules()) {
      page.begin('{').text("rule", each.rule()).number("fallback", each.fallbacks()).close();
    }
    page.end(']');
    Outage outage = store.outage();
    return outage == null
        ? page.nothing("outage")
        : addOutage(page.open("outage", '{'), outage).close();
  }

  /** Adds an outage within an object. */
  static JsonWriter addOutage(JsonWriter page, Outage outage) {
    page.number("from", outage.began().toEpochMilli());
    Instant ended = outage.ended().orElse(null);
    if (ended == null) {
      page.nothing("to");
    } else {
      page.number("to", ended.toEpochMilli());
    }
    page.text("state", word(outage.worst())).text("part", outage.part());
    page.text("problem", outage.problem());
    Fallbacks made = outage.decisions();
    page.number("decisions", made.all()).number("allowed", made.allowed());
    page.number("refused", made.refused()).number("error", made.errors());
    return page.number("would_refuse", made.wouldRefuse());
  }

  private static String breaker(StoreHealth.State state) {
    return switch (state) {
      case UP -> "closed";
      case DEGRADED -> "half_open";
      case DOWN -> "open";
    };
  }
}
