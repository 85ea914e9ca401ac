package io.weir.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import io.weir.rules.Ruling;
import io.weir.rules.file.RuleFiles;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

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

  private static RuleSet rules(String yaml) {
    return RuleFiles.read("rules.yaml", yaml.getBytes(UTF_8)).rules().orElseThrow();
  }
}
