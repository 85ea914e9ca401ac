package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.Store;
import io.weir.TimeSource;
import io.weir.rules.engine.LimiterFactory;
import io.weir.rules.engine.LimiterHandle;
import io.weir.rules.engine.RulesSnapshot;
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
    List<Consistency> opened = new ArrayList<>();
    Store store =
        limiterSpec -> {
          opened.add(limiterSpec.consistency());
          return Store.memory().open(limiterSpec);
        };
    RequestLimiter limiter = RequestLimiter.builder(rules(Consistency.LEASED)).store(store).build();
    limiter.check(Requests.of());
    assertThat(opened).containsExactly(Consistency.LEASED);
  }

  @Test
  void isChangedByAReload() {
    RulesSnapshot before = new RulesSnapshot(rules(Consistency.EXACT), limiterFactory(), null);
    LimiterHandle exact = before.limiterHandles()[0];
    assertThat(exact.limiter().consistency()).isEqualTo(Consistency.EXACT);
    LimiterHandle leased =
        new RulesSnapshot(rules(Consistency.LEASED), limiterFactory(), before).limiterHandles()[0];
    assertThat(leased.limiter()).isSameAs(exact.limiter());
    assertThat(leased.isInForce(exact.limiter())).isFalse();
    RequestLimiter limiter = RequestLimiter.builder(rules(Consistency.EXACT)).build();
    limiter.check(Requests.of());
    limiter.reload(rules(Consistency.LEASED));
    assertThat(limiter.check(Requests.of()).allowed()).isTrue();
  }

  private static LimiterFactory limiterFactory() {
    return new LimiterFactory(Store.memory(), TimeSource.system(), 100, false);
  }
}
