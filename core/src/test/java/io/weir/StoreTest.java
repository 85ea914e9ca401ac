package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Which store a URL opens, and which blueprints a store is given. */
class StoreTest {
  private static final Limit LOG = Limit.slidingLog(3).perMinute();
  private static final Limit BUCKET = Limit.tokenBucket(3).perMinute();

  @Test
  void memoryNeedsNoAddress() {
    try (Store store = Store.open("memory")) {
      Buckets buckets = store.open(blueprint(List.of(LOG), List.of(LOG)));
      assertThat(buckets.tryAcquire("a", 3)).isTrue();
      assertThat(buckets.tryAcquire("a", 1)).isFalse();
    }
  }

  @ParameterizedTest(name = "''{0}'': {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "memory:big       | the memory store has no address, but got 'memory:big'",
        "redis://:secret@h| no store for 'redis:' on the class path; known schemes: memory",
        "Memory           | no store for 'Memory' on the class path; known schemes: memory",
        "''               | no store for '' on the class path; known schemes: memory",
        ":                | no store for ':' on the class path; known schemes: memory",
      })
  void anUnknownUrlIsNamed(String url, String message) {
    assertThatThrownBy(() -> Store.open(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void noUrlIsRefusedByName() {
    assertThatThrownBy(() -> Store.open((String) null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("url");
  }

  private static Store.LimiterSpec blueprint(List<Limit> limits, List<Limit> overflow) {
    return new Store.LimiterSpec("n", limits, overflow, 10, TimeSource.manual(), OnFailure.ALLOW);
  }

  @Test
  void limitsOfOneLimiterAreApart() {
    assertThatThrownBy(() -> blueprint(List.of(), List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("limits must not be empty");
    assertThatThrownBy(
            () -> RateLimiter.of(LOG, BUCKET, Limit.slidingLog(5).perMinute().countingRejected()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "two limits of the same algorithm and period:"
                + " sliding-log 3 per 1m and sliding-log 5 per 1m, counting rejected");
    assertThat(RateLimiter.of(LOG, Limit.slidingLog(5).perHour()).limits()).hasSize(2);
  }

  @Test
  void overflowLimitIsPairedWithItsLimit() {
    Limit larger = Limit.slidingLog(30).perMinute();
    assertThat(blueprint(List.of(LOG, BUCKET), List.of(larger, BUCKET)).overflow())
        .containsExactly(larger, BUCKET);
    for (List<Limit> wrong :
        List.of(List.<Limit>of(), List.of(LOG), List.of(BUCKET, LOG), List.of(LOG, BUCKET, LOG))) {
      assertThatThrownBy(() -> blueprint(List.of(LOG, BUCKET), wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("overflow must name a limit of the same algorithm and period")
          .hasMessageEndingWith("but is " + wrong);
    }
  }

  @ParameterizedTest
  @CsvSource({"0", "-1", "-9223372036854775808"})
  void thereIsRoomForAKey(long maxKeys) {
    assertThatThrownBy(() -> RateLimiter.builder().limit(LOG).maxKeys(maxKeys).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxKeys must be at least 1, but is " + maxKeys);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "STRICT   | consistency 'strict' is not for leaky-bucket 3 per 1m, queue 3; use 'exact'",
        "EVENTUAL | consistency 'eventual' is not for leaky-bucket 3 per 1m, queue 3; use 'exact'",
        "LEASED   | consistency 'leased' is not for leaky-bucket 3 per 1m, queue 3; use 'exact'",
      })
  void whatCannotBeKeptIsNotPromised(Consistency consistency, String message) {
    RateLimiter.Builder builder =
        RateLimiter.builder().limit(LOG).limit(Limit.leakyBucket(3).perMinute());
    assertThatThrownBy(() -> builder.consistency(consistency).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @ParameterizedTest
  @EnumSource(value = OnFailure.class, mode = EnumSource.Mode.EXCLUDE, names = "DENY")
  void strictRequiresOnFailureDeny(OnFailure policy) {
    RateLimiter.Builder builder =
        RateLimiter.builder().limit(LOG).consistency(Consistency.STRICT).onFailure(policy);
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("consistency 'strict' needs on_failure 'deny', but it is '" + policy + "'");
  }

  @Test
  void nothingIsLeasedWhereRejectedRequestsCount() {
    Limit counting = Limit.slidingLog(3).perMinute().countingRejected();
    RateLimiter limiter = RateLimiter.builder().limit(LOG).consistency(Consistency.LEASED).build();
    assertThat(limiter.consistency()).isEqualTo(Consistency.LEASED);
    assertThatThrownBy(() -> limiter.reconfigure(counting))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not for sliding-log 3 per 1m, counting rejected");
    assertThat(limiter.limits()).containsExactly(LOG);
  }

  /** One process shares its buckets with no other. */
  @ParameterizedTest
  @EnumSource(names = {"LEASED", "EVENTUAL"})
  void inMemoryItIsExact(Consistency consistency) {
    RateLimiter limiter = RateLimiter.builder().limit(LOG).consistency(consistency).build();
    assertThat(limiter.check("a", 3).origin()).isEqualTo(Origin.MEMORY);
    assertThat(limiter.tryAcquire("a")).isFalse();
  }

  @Test
  void changedLimitsKeepTheirOverflowTwin() {
    Limit twin = Limit.slidingLog(30).perMinute();
    Limit more = Limit.slidingLog(5).perMinute();
    Store.LimiterSpec apart = blueprint(List.of(LOG), List.of(twin));
    assertThat(apart.with(List.of(more, BUCKET), OnFailure.ALLOW, Consistency.EXACT).overflow())
        .containsExactly(twin, BUCKET);
    Store.LimiterSpec alike = blueprint(List.of(LOG), List.of(LOG));
    assertThat(alike.with(List.of(more), OnFailure.ALLOW, Consistency.EXACT).overflow())
        .containsExactly(more);
  }
}
