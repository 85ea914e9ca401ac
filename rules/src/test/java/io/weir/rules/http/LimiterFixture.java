package io.weir.rules.http;

import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rules.Domain;
import io.weir.rules.Request;
import io.weir.rules.RequestLimiter;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Limiters of a few rules at one moment, and requests of them. */
final class LimiterFixture {
  /** A quarter of a second into 14:14:20, and 40 s before the next window of a minute. */
  static final Instant NOW = Instant.parse("2026-09-21T14:14:20.250Z");

  static final long SECOND = NOW.getEpochSecond();

  private LimiterFixture() {}

  static List<String> lines(List<Header> headers) {
    return headers.stream().map(Header::toString).toList();
  }

  static RequestLimiter limiter(Rule.Builder... rules) {
    return limiter(TimeSource.manual().set(NOW), rules);
  }

  static RequestLimiter limiter(ManualTime time, Rule.Builder... rules) {
    List<Rule> built = Stream.of(rules).map(Rule.Builder::build).toList();
    RuleSet set = RuleSet.of(new Domain(Rule.DEFAULT_DOMAIN, Map.of(), built));
    return RequestLimiter.builder(set).time(time).build();
  }

  static Request one() {
    return request(1);
  }

  static Request request(long cost) {
    return new Request() {
      @Override
      public String attribute(String name) {
        return null;
      }

      @Override
      public long cost() {
        return cost;
      }
    };
  }
}
