package io.weir.client;

import io.weir.client.pace.DelayScheduler;
import io.weir.client.pace.RequestQueue;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;

/** One queue for each group of requests that share limits. Only the most recent ones are kept. */
final class RequestQueues {
  private static final int MAX_QUEUES = 512;
  private static final List<String> CREDENTIALS =
      List.of("Authorization", "X-API-Key", "Api-Key", "X-Auth-Token", "Cookie");

  private final ClientSettings clientSettings;
  private final DelayScheduler time;
  private final RandomGenerator random;
  private final Map<String, RequestQueue> requestQueues =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, RequestQueue> eldest) {
          return size() > MAX_QUEUES;
        }
      };

  RequestQueues(ClientSettings clientSettings, DelayScheduler time, RandomGenerator random) {
    this.clientSettings = clientSettings;
    this.time = time;
    this.random = random;
  }

  /** The queue for a request. */
  RequestQueue queueFor(HttpRequest request) {
    String scope = name(request);
    synchronized (requestQueues) {
      return requestQueues.computeIfAbsent(
          scope, key -> new RequestQueue(time, random, clientSettings.longestWait()));
    }
  }

  /** The name of the group that shares limits with this request. */
  String name(HttpRequest request) {
    return Objects.requireNonNull(clientSettings.scope().apply(request), "scope");
  }

  /** Scheme, host, port and credentials. */
  static String ofOriginAndCredentials(HttpRequest request) {
    StringBuilder scope = new StringBuilder(origin(request.uri()));
    for (String name : CREDENTIALS) {
      for (String value : request.headers().allValues(name)) {
        scope.append('\n').append(name).append(':').append(value);
      }
    }
    return scope.toString();
  }

  private static String origin(URI uri) {
    String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
    int port = uri.getPort() >= 0 ? uri.getPort() : scheme.equals("https") ? 443 : 80;
    return scheme + "://" + String.valueOf(uri.getHost()).toLowerCase(Locale.ROOT) + ":" + port;
  }
}
