package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnJre;
import org.junit.jupiter.api.condition.JRE;

/**
 * Seeded schedules of faults against real processes; {@code ./test --chaos} runs many of them, and
 * {@code ./test --chaos --seed 7} one of them again.
 */
@Tag("slow")
@EnabledOnJre(JRE.JAVA_17) // slow, and the same on others
class ChaosTest {
  @Test
  void noPromiseIsBroken() throws InterruptedException {
    long first = Long.getLong("weir.chaos.seed", 1);
    long schedules = Long.getLong("weir.chaos.schedules", 10);
    try (Chaos chaos = new Chaos(Chaos.kept(), line -> System.out.println(">> " + line))) {
      for (long seed = first; seed < first + schedules; seed++) {
        chaos.run(seed);
      }
      chaos.report().toLines().forEach(line -> System.out.println(">> " + line));
      assertThat(chaos.report().broken()).isEmpty();
    }
  }
}
