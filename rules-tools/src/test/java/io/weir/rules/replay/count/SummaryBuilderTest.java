package io.weir.rules.replay.count;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.weir.Limit;
import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.rules.replay.BadLineCounter;
import io.weir.rules.replay.Summary;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SummaryBuilderTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  void rulesThatNeverFireTakeLittleMemory() {
    int count = 1000;
    RuleSet rules =
        RuleSet.of(
            new Domain(
                "default",
                Map.of(),
                IntStream.range(0, count)
                    .mapToObj(i -> Rule.named("r" + i).limit(Limit.tokenBucket(1).perSecond()))
                    .map(Rule.Builder::build)
                    .toList()));

    long before = THREADS.getCurrentThreadAllocatedBytes();
    SummaryBuilder summaryBuilder = new SummaryBuilder(rules);
    assertThat((THREADS.getCurrentThreadAllocatedBytes() - before) / count).isLessThan(1000);
    Summary summary =
        summaryBuilder.summary(
            new BadLineCounter().badLines(),
            new BadLineCounter().badLines(),
            Optional.empty(),
            Optional.empty());
    assertThat(summary.rules())
        .hasSize(count)
        .allSatisfy(rule -> assertThat(rule.keys() + rule.keysRefused()).isZero())
        .allSatisfy(rule -> assertThat(rule.mostRefused()).isEmpty());
  }
}
