package io.weir.client;

import io.weir.client.pace.DelayScheduler;
import java.net.http.HttpClient;
import java.util.random.RandomGenerator;

/** The state shared by all requests of a client. */
record ClientContext(
    HttpClient http,
    ClientSettings clientSettings,
    DelayScheduler time,
    RandomGenerator random,
    RequestQueues requestQueues,
    RetryBudget retryBudget,
    CallbackPool callbackPool) {

  static ClientContext of(
      HttpClient http, ClientSettings clientSettings, DelayScheduler time, RandomGenerator random) {
    return new ClientContext(
        http,
        clientSettings,
        time,
        random,
        new RequestQueues(clientSettings, time, random),
        new RetryBudget(time, clientSettings.retryPart(), clientSettings.retriesASecond()),
        new CallbackPool(time));
  }
}
