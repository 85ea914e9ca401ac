package io.weir.client;

import io.weir.client.pace.Clockwork;
import java.net.http.HttpClient;
import java.util.random.RandomGenerator;

/** The state shared by all requests of a client. */
record Engine(
    HttpClient http,
    Settings settings,
    Clockwork time,
    RandomGenerator random,
    Scopes scopes,
    Budget budget,
    Crew crew) {

  static Engine of(HttpClient http, Settings settings, Clockwork time, RandomGenerator random) {
    return new Engine(
        http,
        settings,
        time,
        random,
        new Scopes(settings, time, random),
        new Budget(time, settings.retryPart(), settings.retriesASecond()),
        new Crew(time));
  }
}
