package io.weir.bench.redis.node;

import io.weir.AsyncRateLimiter;
import io.weir.Consistency;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.Store;
import java.util.concurrent.CompletionStage;

/** Weir, used as documented. */
final class WeirLibrary implements Library {
  private final Store store;
  private final Consistency consistency;

  WeirLibrary(int port, String settings) {
    this(port, settings, Consistency.EXACT);
  }

  WeirLibrary(int port, String settings, Consistency consistency) {
    this.consistency = consistency;
    store = Store.open("redis://127.0.0.1:" + port + (settings.isEmpty() ? "" : "?" + settings));
  }

  @Override
  public RemoteLimiter<Decision> limiter(String name, Allowance allowance, String[] keys) {
    return limiter(name, allowance.limit(), keys);
  }

  RemoteLimiter<Decision> limiter(String name, Limit limit, String[] keys) {
    AsyncRateLimiter limiter =
        RateLimiter.builder()
            .name(name)
            .limit(limit)
            .store(store)
            .consistency(consistency)
            .build()
            .async();
    return new RemoteLimiter<>() {
      @Override
      public CompletionStage<Decision> check(int i) {
        return limiter.check(keys[i]);
      }

      @Override
      public CheckResult result(Decision decision) {
        return switch (decision.origin()) {
          case FAILURE, LOCAL -> CheckResult.FAILED;
          default -> decision.allowed() ? CheckResult.ALLOWED : CheckResult.REFUSED;
        };
      }
    };
  }

  @Override
  public void close() {
    store.close();
  }
}
