package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.StoreHealth;
import io.weir.insight.ActivityHistory;
import io.weir.insight.Insights;
import io.weir.insight.series.Change;
import io.weir.insight.series.StoreLastMinute;
import io.weir.insight.series.Tick;
import io.weir.rules.http.JsonWriter;
import io.weir.server.http.EventStreams;
import io.weir.server.http.HttpResponses;
import org.jspecify.annotations.Nullable;

/**
 * {@code /v1/events}: a live stream of each second's counts, rule changes and the store's health.
 */
final class EventsEndpoint implements AutoCloseable {
  private static final int COMMENT_SECONDS = 15;

  private final ActivityHistory activityHistory;
  private final Insights insights;
  private final EventStreams streams;
  private volatile @Nullable Tick last;
  private StoreHealth.State state = StoreHealth.State.UP; // used on the aggregation thread only
  private volatile int sampling = 1;

  EventsEndpoint(ActivityHistory activityHistory, Insights insights, int listeners) {
    this.activityHistory = activityHistory;
    this.insights = insights;
    this.streams = new EventStreams(listeners);
    activityHistory.eachTick(this::publish);
    activityHistory.changes().each(this::publish);
  }

  void listen(HttpServerRequest request) {
    QueryParameters.of(request);
    Tick known = last;
    String first = "retry: 2000\n" + ofStore(activityHistory.store());
    if (!streams.listen(request, known == null ? first : first + ofTick(known))) {
      HttpResponses.send(
          request,
          HttpResponses.soon(
              HttpResponses.error(
                  503, "too_many_listeners", "too many event streams are open; try again later")));
    }
  }

  private void publish(Tick tick) {
    last = tick;
    sampling = insights.topCallers().sampling();
    StoreLastMinute now = activityHistory.store();
    boolean isChanged = now.state() != state;
    state = now.state();
    if (streams.listeners() > 0) {
      String events = isChanged ? ofStore(now) + ofTick(tick) : ofTick(tick);
      streams.publish(tick.second() % COMMENT_SECONDS == 0 ? ": still there\n\n" + events : events);
    }
  }

  private void publish(Change change) {
    if (streams.listeners() > 0) {
      JsonWriter jsonWriter = ChangesEndpoint.add(new JsonWriter().open(), change);
      streams.publish(EventStreams.event("change", jsonWriter.toString()));
    }
  }

  private static String ofStore(StoreLastMinute store) {
    JsonWriter jsonWriter = StoreHealthJson.addState(new JsonWriter().open(), store);
    return EventStreams.event("store", jsonWriter.close().toString());
  }

  private String ofTick(Tick tick) {
    JsonWriter jsonWriter = new JsonWriter().open().number("time", tick.second() * 1000);
    CountsJson.requests(jsonWriter.open("outcomes", '{'), tick.requestCounts()).close();
    jsonWriter.open("rules", '[');
    for (Tick.OfRule rule : tick.rules()) {
      CountsJson.outcomes(jsonWriter.begin('{').text("rule", rule.rule()), rule.outcomes()).close();
    }
    jsonWriter.end(']');
    boolean isKnown = tick.speed().decisions() > 0;
    CountsJson.micros(jsonWriter, "p50_us", tick.speed().medianNanos(), isKnown);
    CountsJson.micros(jsonWriter, "p99_us", tick.speed().slowNanos(), isKnown);
    jsonWriter.text("store", StoreHealthJson.state(activityHistory.store()));
    jsonWriter
        .number("fallback", tick.all().fallbacks())
        .number("near_limit", tick.all().nearLimit());
    jsonWriter.number("sampling", sampling);
    return EventStreams.event("tick", jsonWriter.close().toString());
  }

  int listeners() {
    return streams.listeners();
  }

  @Override
  public void close() {
    streams.close();
  }
}
