package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnJre;
import org.junit.jupiter.api.condition.JRE;

/**
 * Seeded schedules of faults against real processes: the first ten, or as many of them as fit into
 * two minutes, but some in any case. {@code ./test --chaos} runs many more, and {@code ./test
 * --chaos --seed 7} one of them again.
 */
@Tag("slow")
@EnabledOnJre(JRE.JAVA_17) // slow, and the same on others
class SchedulesTest {
  private static final long FIRST = Long.getLong("weir.chaos.seed", 1);
  private static final long SCHEDULES = Long.getLong("weir.chaos.schedules", 10);
  private static final long FEWEST = Math.min(4, SCHEDULES);
  private static final long MANY = 50;
  private static final long SECONDS = Long.getLong("weir.chaos.seconds", 70);

  @Test
  void randomSchedulesBreakNoGuarantee() throws InterruptedException {
    try (ChaosRun chaosRun = new ChaosRun(List.of(Consistency.values()), SchedulesTest::print)) {
      try {
        runAll(chaosRun);
      } finally {
        chaosRun.chaosReport().toLines().forEach(SchedulesTest::print);
      }
      assertThat(chaosRun.chaosReport().broken()).isEmpty();
      assertThat(chaosRun.chaosReport().schedules()).isGreaterThanOrEqualTo(FEWEST);
      if (FEWEST > 1) {
        assertThatSomethingWasTried(chaosRun.chaosReport());
      }
    }
  }

  private static void runAll(ChaosRun chaosRun) throws InterruptedException {
    long start = System.nanoTime();
    for (long seed = FIRST; seed < FIRST + SCHEDULES; seed++) {
      if (seed - FIRST >= FEWEST && System.nanoTime() - start > SECONDS * 1_000_000_000) {
        print("enough: the schedules from " + seed + " on are left out");
        return;
      }
      chaosRun.run(seed);
    }
  }

  /** Nothing is over a limit where nothing is granted. */
  private static void assertThatSomethingWasTried(ChaosReport chaosReport) {
    for (Consistency consistency : Consistency.values()) {
      assertThat(chaosReport.grants(consistency)).as(consistency.toString()).isPositive();
      assertThat(chaosReport.idle(consistency))
          .as("schedules in which %s granted nothing", consistency)
          .isLessThanOrEqualTo(chaosReport.schedules() / 2);
    }
    assertThat(chaosReport.leased()).isPositive();
    if (chaosReport.schedules() >= MANY) {
      assertThat(chaosReport.violations(Consistency.EXACT)).as("lost data is noticed").isPositive();
    }
  }

  private static void print(String line) {
    System.out.println(">> " + line);
  }
}
