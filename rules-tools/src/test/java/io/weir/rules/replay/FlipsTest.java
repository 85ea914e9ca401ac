package io.weir.rules.replay;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Requests that two rule sets decide differently, on the same time axis as all other counts. */
class FlipsTest {
  @Test
  void areCountedInTheSpansOfTheTimeline() throws IOException {
    StringBuilder csv = new StringBuilder("time,user\n");
    for (int second = 0; second < 1200; second++) {
      csv.append(second * 1000L).append(second < 600 ? ",ann\n" : ",bob\n");
    }
    try (Trace trace = Trace.open("t", new ByteArrayInputStream(csv.toString().getBytes(UTF_8)))) {
      Summary summary = TraceReplay.by(rules(1000)).comparedWith(rules(500)).run(trace);
      Comparison comparison = summary.comparison().orElseThrow();
      Flips refused = comparison.newlyRefused();

      assertThat(refused.requests()).isEqualTo(200);
      assertThat(refused.byKey()).extracting(KeyCount::count).containsExactly(100L, 100L);
      assertThat(refused.overTime()).hasSize(summary.outcomeSeries().spans());
      assertThat(refused.overTime().stream().mapToLong(Long::longValue).sum()).isEqualTo(200);
      int half = refused.overTime().size() / 2;
      assertThat(refused.overTime().subList(0, half).stream().mapToLong(Long::longValue).sum())
          .isEqualTo(100);
      assertThat(comparison.newlyAllowed().overTime())
          .hasSize(summary.outcomeSeries().spans())
          .containsOnly(0L);
    }
  }

  private static RuleSet rules(long permits) {
    Rule rule = Rule.named("day").per("user").limit(Limit.fixedWindow(permits).perDay()).build();
    return RuleSet.of(new Domain(Rule.DEFAULT_DOMAIN, Map.of(), List.of(rule)));
  }
}
