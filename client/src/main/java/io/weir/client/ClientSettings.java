package io.weir.client;

import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * All settings except the wrapped client. See {@link WeirClient.Builder}.
 *
 * @param deadline for a whole request; null for none
 */
record ClientSettings(
    boolean paced,
    Function<HttpRequest, String> scope,
    Duration longestWait,
    @Nullable Duration deadline,
    int attempts,
    Duration firstBackoff,
    Duration longestBackoff,
    double retryPart,
    double retriesASecond,
    boolean retriesAnyRefused,
    Predicate<HttpRequest> repeatable,
    boolean coalesces,
    long cacheBytes,
    int largestShared) {

  static final ClientSettings DEFAULT =
      new ClientSettings(
          true,
          RequestQueues::ofOriginAndCredentials,
          Duration.ofMinutes(1),
          null,
          4,
          Duration.ofMillis(100),
          Duration.ofSeconds(10),
          0.1,
          1,
          true,
          RetryPolicy::hasRepeatableBody,
          false,
          0,
          1 << 20);

  /** A random pause between zero and a bound that doubles with each attempt. */
  Duration backoff(int attempt, RandomGenerator random) {
    double maxNanos = longestBackoff.toNanos();
    double span =
        Math.min(maxNanos, firstBackoff.toNanos() * Math.pow(2, Math.min(attempt - 1, 60)));
    return Duration.ofNanos((long) (span * random.nextDouble()));
  }
}
