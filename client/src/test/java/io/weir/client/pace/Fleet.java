package io.weir.client.pace;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.RateLimiter;
import io.weir.client.VirtualTime;
import io.weir.client.quota.Quota;
import io.weir.client.quota.Quotas;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;

/**
 * Independent clients, in virtual time, before a server that reports its limit as the gateway does:
 * in whole seconds, rounded up.
 */
final class Fleet {
  private final VirtualTime time = new VirtualTime();
  private final SplittableRandom random;
  private final RateLimiter limiter;
  private final Duration window;
  private final List<Client> clients = new ArrayList<>();
  private long allowed;
  private long refused;

  Fleet(Limit limit, Duration window, long seed) {
    limiter = RateLimiter.builder().limit(limit).time(time.source()).build();
    this.window = window;
    random = new SplittableRandom(seed);
  }

  /** Adds clients that always have requests waiting. */
  Fleet saturating(int count, int concurrency) {
    for (int i = 0; i < count; i++) {
      Client client = client();
      for (int k = 0; k < concurrency; k++) {
        time.after(random.nextLong(2_000_000), () -> client.send(true));
      }
    }
    return this;
  }

  /** Adds clients that send requests at random times, at a mean rate, for some time. */
  Fleet sending(int count, double aSecond, Duration during) {
    for (int i = 0; i < count; i++) {
      Client client = client();
      double at = 0;
      while (at < during.toSeconds()) {
        time.after((long) (at * 1e9), () -> client.send(false));
        at -= Math.log(1 - random.nextDouble()) / aSecond;
      }
    }
    return this;
  }

  private Client client() {
    Client client = new Client();
    clients.add(client);
    return client;
  }

  /** Lets time pass, and returns the outcome. */
  Outcome during(Duration span) {
    allowed = 0;
    refused = 0;
    List<Long> before = clients.stream().map(client -> client.served).toList();
    time.pass(span);
    long[] served = new long[clients.size()];
    for (int i = 0; i < served.length; i++) {
      served[i] = clients.get(i).served - before.get(i);
    }
    return new Outcome(allowed, refused, served);
  }

  /**
   * * The result of a run.
   *
   * @param served for each client
   */
  record Outcome(long allowed, long refused, long[] served) {
    double refusedPart() {
      return (double) refused / Math.max(1, allowed + refused);
    }

    String text(double limit) {
      return String.format(
          Locale.ROOT,
          "%.1f %% of the limit, %.2f %% refused",
          100 * allowed / limit,
          100 * refusedPart());
    }
  }

  private final class Client {
    private final RequestQueue requestQueue =
        new RequestQueue(time, random.split(), Duration.ofSeconds(60));
    private long served;

    void send(boolean again) {
      long deadline = time.nanos() + Duration.ofHours(10).toNanos();
      requestQueue
          .enter("GET", "/", deadline)
          .thenAccept(sendSlot -> time.after(latency(), () -> arrive(sendSlot, again)));
    }

    private void arrive(SendSlot sendSlot, boolean again) {
      Decision decision = limiter.check("everybody");
      allowed += decision.allowed() ? 1 : 0;
      refused += decision.allowed() ? 0 : 1;
      served += decision.allowed() ? 1 : 0;
      Quotas quotas = quotas(decision);
      time.after(latency(), () -> complete(sendSlot, quotas, decision.allowed(), again));
    }

    private void complete(SendSlot sendSlot, Quotas quotas, boolean isAllowed, boolean again) {
      if (isAllowed) {
        sendSlot.responded(quotas);
      } else {
        sendSlot.refused(quotas, quotas.retryAfter().orElseThrow());
      }
      if (again || !isAllowed) {
        send(again);
      }
    }
  }

  private long latency() {
    return 200_000 + random.nextLong(10_000_000);
  }

  private Quotas quotas(Decision decision) {
    LimitStatus limitStatus = decision.deciding();
    Duration wait =
        (limitStatus.allows() ? limitStatus.growsAfter() : limitStatus.retryAfter())
            .orElse(Duration.ZERO);
    Duration seconds = Duration.ofSeconds(wait.plusNanos(999_999_999).toSeconds());
    Quota quota =
        new Quota(
            "everybody",
            OptionalLong.of(limitStatus.limit().capacity()),
            Optional.of(window).filter(each -> !each.isZero()),
            OptionalLong.of(limitStatus.remaining()),
            Optional.of(seconds).filter(each -> !each.isZero()));
    return new Quotas(List.of(quota), decision.allowed() ? Optional.empty() : Optional.of(seconds));
  }
}
