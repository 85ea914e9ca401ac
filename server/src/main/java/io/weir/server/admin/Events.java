package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.StoreHealth;
import io.weir.rules.http.Json;
import io.weir.seeing.Change;
import io.weir.seeing.Past;
import io.weir.seeing.StoreMinute;
import io.weir.seeing.Tick;
import io.weir.seeing.Watch;
import io.weir.server.http.EventStreams;
import io.weir.server.http.Replies;
import org.jspecify.annotations.Nullable;

/**
 * {@code /v1/events}: a live stream of each second's counts, rule changes and the store's health.
 */
final class Events implements AutoCloseable {
  private static final int COMMENT_SECONDS = 15;

  private final Past past;
  private final Watch watch;
  private final EventStreams streams;
  private volatile @Nullable Tick last;
  private StoreHealth.State state = StoreHealth.State.UP; // used on the aggregation thread only
  private volatile int sampling = 1;

  Events(Past past, Watch watch, int listeners) {
    this.past = past;
    this.watch = watch;
    this.streams = new EventStreams(listeners);
    past.eachTick(this::tell);
    past.changes().each(this::tell);
  }

  void listen(HttpServerRequest request) {
    Parameters.of(request);
    Tick known = last;
    String first = "retry: 2000\n" + ofStore(past.store());
    if (!streams.listen(request, known == null ? first : first + ofTick(known))) {
      Replies.send(
          request,
          Replies.soon(
              Replies.error(
                  503, "too_many_listeners", "too many event streams are open; try again later")));
    }
  }

  private void tell(Tick tick) {
    last = tick;
    sampling = watch.callers().sampling();
    StoreMinute now = past.store();
    boolean isChanged = now.state() != state;
    state = now.state();
    if (streams.listeners() > 0) {
      String events = isChanged ? ofStore(now) + ofTick(tick) : ofTick(tick);
      streams.tell(tick.second() % COMMENT_SECONDS == 0 ? ": still there\n\n" + events : events);
    }
  }

  private void tell(Change change) {
    if (streams.listeners() > 0) {
      Json json = ChangesPage.add(new Json().open(), change);
      streams.tell(EventStreams.event("change", json.toString()));
    }
  }

  private static String ofStore(StoreMinute store) {
    Json json = StoreView.addState(new Json().open(), store);
    return EventStreams.event("store", json.close().toString());
  }

  private String ofTick(Tick tick) {
    Json json = new Json().open().number("time", tick.second() * 1000);
    Tallies.requests(json.open("outcomes", '{'), tick.requests()).close();
    json.open("rules", '[');
    for (Tick.OfRule rule : tick.rules()) {
      Tallies.outcomes(json.begin('{').text("rule", rule.rule()), rule.outcomes()).close();
    }
    json.end(']');
    boolean isKnown = tick.speed().decisions() > 0;
    Tallies.micros(json, "p50_us", tick.speed().medianNanos(), isKnown);
    Tallies.micros(json, "p99_us", tick.speed().slowNanos(), isKnown);
    json.text("store", StoreView.state(past.store()));
    json.number("fallback", tick.all().fallbacks()).number("near_limit", tick.all().nearLimit());
    json.number("sampling", sampling);
    return EventStreams.event("tick", json.close().toString());
  }

  int listeners() {
    return streams.listeners();
  }

  @Override
  public void close() {
    streams.close();
  }
}
