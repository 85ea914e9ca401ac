package io.weir.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.TimeSource;
import io.weir.rules.Descriptor;
import io.weir.rules.DescriptorMode;
import io.weir.rules.DescriptorQuestion;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import io.weir.rules.Ruling;
import io.weir.rules.file.RuleFiles;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is counted while rules change. */
class TallyTest {
  private final RuleSet old = rules("rules: [ { name: old, limit: 9 per hour } ]");
  private final RuleSet next = rules("rules: [ { name: next, limit: 9 per hour } ]");

  /** A scrape that read the rules just before a reload, and looks up the counters just after. */
  @Test
  void aScrapeDuringAReloadLosesNothing() {
    Tally tally = new Tally();
    Ruling ruling = RequestLimiter.builder(next).build().check(attribute -> null);
    AtomicReference<RuleSet> inForce = new AtomicReference<>(old);

    tally.rules(
        () -> {
          RuleSet read = inForce.get();
          if (read == old) {
            inForce.set(next);
            tally.count(ruling, inForce::get);
          }
          return read;
        });

    List<RuleTally> counted = tally.rules(inForce::get);
    assertThat(counted).extracting(RuleTally::label).containsExactly("next");
    assertThat(counted.get(0).count(Outcome.ALLOWED)).isEqualTo(1);
  }

  /** Where each descriptor is charged whatever becomes of the others, it is counted so too. */
  @ParameterizedTest
  @CsvSource({"false,1", "true,2"})
  void descriptorsOfARefusedRequestAreCountedIfTheyAreCharged(boolean countsRefused, long wide) {
    RuleSet rules =
        rules(
            """
            domain: shop
            descriptors:
              - { key: wide, rate_limit: { name: wide, unit: hour, requests_per_unit: 9 } }
              - { key: tight, rate_limit: { name: tight, unit: hour, requests_per_unit: 1 } }
            """);
    Arbiter arbiter =
        new Arbiter(
            RequestLimiter.builder(rules)
                .time(TimeSource.manual())
                .descriptors(new DescriptorMode(countsRefused, false, false))
                .build(),
            new Tally());
    DescriptorQuestion both =
        new DescriptorQuestion(
            "shop", List.of(Descriptor.of("wide", "a"), Descriptor.of("tight", "a")), 1);

    assertThat(arbiter.decide(both).toCompletableFuture().join().allowed()).isTrue();
    assertThat(arbiter.decide(both).toCompletableFuture().join().allowed()).isFalse();

    List<RuleTally> counted = arbiter.tally().rules(arbiter::rules);
    assertThat(counted.get(0).count(Outcome.ALLOWED)).isEqualTo(wide);
    assertThat(counted.get(1).count(Outcome.ALLOWED)).isEqualTo(1);
    assertThat(counted.get(1).count(Outcome.DENIED)).isEqualTo(1);
  }

  private static RuleSet rules(String yaml) {
    return RuleFiles.read("rules.yaml", yaml.getBytes(UTF_8)).rules().orElseThrow();
  }
}
