package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.Store;
import io.weir.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The consistency of a rule is passed to the store. */
class ConsistencyTest {
  private static RuleSet rules(Consistency consistency) {
    Rule rule =
        Rule.named("a")
            .limit(Limit.tokenBucket(10).perSecond())
            .policy(new Policy(Policy.Mode.ENFORCE, OnFailure.ALLOW, consistency))
            .build();
    return RuleSet.of(new Domain(Rule.DEFAULT_DOMAIN, Map.of(), List.of(rule)));
  }

  @Test
  void reachesTheStore() {
    List<Consistency> told = new ArrayList<>();
    Store store =
        blueprint -> {
          told.add(blueprint.consistency());
          return Store.memory().open(blueprint);
        };
    RequestLimiter limiter = RequestLimiter.builder(rules(Consistency.LEASED)).store(store).build();
    limiter.check(Requests.of());
    assertThat(told).containsExactly(Consistency.LEASED);
  }

  @Test
  void isChangedByAReload() {
    InForce before = new InForce(rules(Consistency.EXACT), taps(), null);
    Bound exact = before.meters()[0];
    assertThat(exact.limiter().consistency()).isEqualTo(Consistency.EXACT);
    Bound leased = new InForce(rules(Consistency.LEASED), taps(), before).meters()[0];
    assertThat(leased.limiter()).isSameAs(exact.limiter());
    assertThat(leased.isInForce(exact.limiter())).isFalse();
    RequestLimiter limiter = RequestLimiter.builder(rules(Consistency.EXACT)).build();
    limiter.check(Requests.of());
    limiter.reload(rules(Consistency.LEASED));
    assertThat(limiter.check(Requests.of()).allowed()).isTrue();
  }

  private static Taps taps() {
    return new Taps(Store.memory(), TimeSource.system(), 100, false);
  }
}
