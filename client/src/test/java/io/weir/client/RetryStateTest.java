package io.weir.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How long a request stays away. */
class RetryStateTest {
  private final VirtualTime time = new VirtualTime();
  private final ClientContext clientContext =
      ClientContext.of(
          HttpClient.newHttpClient(), ClientSettings.DEFAULT, time, new SplittableRandom(1));
  private final HttpRequest request =
      HttpRequest.newBuilder(URI.create("http://127.0.0.1/")).build();

  @Test
  void addsJitterToTheAnnouncedWait() {
    long[] pauses = pauses(Duration.ofSeconds(10));
    assertThat(LongStream.of(pauses).distinct().count()).isGreaterThan(90);
    assertThat(LongStream.of(pauses).min().orElseThrow())
        .isBetween(Duration.ofSeconds(10).toNanos(), Duration.ofMillis(10_100).toNanos());
    assertThat(LongStream.of(pauses).max().orElseThrow())
        .isBetween(Duration.ofMillis(10_900).toNanos(), Duration.ofSeconds(11).toNanos());
  }

  /** What may just be waited for is not given up for the sake of others. */
  @Test
  void jitterDoesNotPassTheDeadline() {
    Duration maxWait = ClientSettings.DEFAULT.longestWait();
    assertThat(pauses(maxWait)).containsOnly(maxWait.toNanos());
    long[] pauses = pauses(Duration.ofSeconds(10), Duration.ofMillis(10_500));
    assertThat(LongStream.of(pauses).max().orElseThrow())
        .isLessThan(Duration.ofMillis(10_400).toNanos());
  }

  private long[] pauses(Duration announced) {
    return pauses(announced, null);
  }

  private long[] pauses(Duration announced, @Nullable Duration within) {
    return LongStream.range(0, 100)
        .map(
            i -> {
              Deadline deadline = Deadline.after(within, time);
              RetryState retryState = new RetryState(clientContext, request, () -> deadline);
              retryState.tries();
              return retryState.pause(Optional.of(announced));
            })
        .toArray();
  }
}
