package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnJre;
import org.junit.jupiter.api.condition.JRE;

/**
 * Seeded schedules of attacks that were once seen to break a promise: one of each kind. {@code
 * ./test --chaos} runs a hundred, and {@code ./test --chaos --kind eviction --seed 7} one again.
 */
@Tag("slow")
@EnabledOnJre(JRE.JAVA_17) // slow, and the same on others
class TargetedFaultsTest {
  private static final long FIRST = Long.getLong("weir.chaos.seed", 1);
  private static final long SCHEDULES =
      Long.getLong("weir.chaos.aimed", TargetedScenario.values().length);
  private static final int ATTEMPTS = 3;
  private static final int MANY = 50;
  private static final String KIND = System.getProperty("weir.chaos.kind", "");
  private static final List<Consistency> TRIED =
      List.of(Consistency.EXACT, Consistency.STRICT, Consistency.LEASED);

  @Test
  void aimedSchedulesBreakNoGuarantee() throws InterruptedException {
    if (SCHEDULES == 0) {
      return;
    }
    Optional<TargetedScenario> kind = TargetedScenario.named(KIND);
    assertThat(kind.isPresent() || KIND.isEmpty()).as("a kind named '%s'", KIND).isTrue();
    try (ChaosRun chaosRun = new ChaosRun(TRIED, TargetedFaultsTest::print)) {
      try {
        for (long seed = FIRST; seed < FIRST + SCHEDULES; seed++) {
          TargetedScenario targetedScenario =
              kind.isPresent() ? kind.get() : TargetedScenario.turn(seed);
          run(chaosRun, targetedScenario, seed);
        }
      } finally {
        chaosRun.chaosReport().toLines().forEach(TargetedFaultsTest::print);
      }
      assertThat(chaosRun.chaosReport().broken()).isEmpty();
      if (kind.isEmpty()
          && SCHEDULES >= TargetedScenario.values().length
          && FakeClock.library().isPresent()) {
        assertThat(chaosRun.chaosReport().untried()).as("kinds that were left out").isEmpty();
      }
      if (SCHEDULES >= MANY) { // of a few, each may miss once
        assertThat(chaosRun.chaosReport().missed())
            .as("kinds that made Redis forget nothing")
            .isEmpty();
      }
    }
  }

  /**
   * Without grants no limit is exceeded. That happens to strict limits with their short timeout on
   * a busy machine: such a schedule runs again.
   */
  private static void run(ChaosRun chaosRun, TargetedScenario targetedScenario, long seed)
      throws InterruptedException {
    List<String> idle = List.of();
    for (int i = 0; i < ATTEMPTS; i++) {
      idle =
          chaosRun
              .run(targetedScenario, seed)
              .map(TargetedFaultsTest::withoutGrants)
              .orElse(List.of());
      if (idle.isEmpty()) {
        return;
      }
    }
    assertThat(idle)
        .as("limits of %s seed %d that granted nothing", targetedScenario, seed)
        .isEmpty();
  }

  private static List<String> withoutGrants(ScheduleResult scheduleResult) {
    return scheduleResult.contractResults().stream()
        .filter(contractResult -> contractResult.grants() == 0)
        .map(contractResult -> contractResult.contract().toString())
        .toList();
  }

  private static void print(String line) {
    System.out.println(">> " + line);
  }
}
