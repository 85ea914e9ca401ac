package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import io.weir.Origin;
import io.weir.chaos.Answer.Verdict;
import io.weir.chaos.Contract.Algorithm;
import io.weir.rig.Until;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnJre;
import org.junit.jupiter.api.condition.JRE;

/**
 * A primary dies with writes that its replica has never seen, step by step: whether the auditor
 * finds what a store does wrong that is wrong for certain.
 */
@Tag("slow")
@EnabledOnJre(JRE.JAVA_17) // slow, and the same on others
class LostWritesTest {
  private static final int LIMIT = 5;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Duration NEVER = Duration.ofHours(1);

  @Test
  void exactGivesTheLimitTwiceAndIsFound() throws Exception {
    try (Stage stage = Stage.open(new Loopback(), 1, TIMEOUT)) {
      Contract contract = contract(Consistency.EXACT);
      stage.open(contract);
      stage.awaitService(List.of(contract));
      stage.redis().sentinelsWait(NEVER);
      RedisServer first = stage.redis().primary();
      RedisServer replica = stage.redis().otherThan(first);
      part(first, replica);

      List<Answer> log = new ArrayList<>(spendAll(stage, contract));
      assertThat(log).hasSize(LIMIT);
      assertThat(new Auditor(contract.bound()).violations(log)).isEmpty();

      first.kill();
      replica.resume();
      stage.redis().sentinelsWait(Duration.ofMillis(1500));
      Until.holds(() -> "a failover", PATIENCE, () -> stage.redis().primary() != first);
      stage.redis().sentinelsWait(NEVER);
      stage.heal();
      stage.awaitService(List.of(contract));
      log.addAll(spendAll(stage, contract));

      List<Violation> found = new Auditor(contract.bound()).violations(log);
      assertThat(found).hasSize(1);
      assertThat(found.get(0).count()).isEqualTo(2 * LIMIT);
      assertThat(found.get(0).most()).isEqualTo(LIMIT);
    }
  }

  /** The link is gone, and the replica, which hangs, cannot make another. */
  private static void part(RedisServer primary, RedisServer replica) {
    replica.suspend();
    Until.holds(
        "the primary has no replica",
        () -> {
          primary.call("CLIENT", "KILL", "TYPE", "replica");
          return primary.info("replication", "connected_slaves").equals("0");
        });
  }

  /** So long that nothing is forgotten by time. */
  private static Contract contract(Consistency consistency) {
    return new Contract(
        "lost-writes", consistency, Algorithm.SLIDING_LOG, LIMIT, Duration.ofHours(1));
  }

  /** Asks every node until there is nothing left, and returns the yeses. */
  private static List<Answer> spendAll(Stage stage, Contract contract) throws Exception {
    List<Answer> yeses = new ArrayList<>();
    for (Node node : stage.nodes()) {
      for (int i = 0; i < 20; i++) {
        long sent = System.nanoTime();
        Decided decided =
            node.check(contract.name(), "ann", 1)
                .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .get(0);
        if (decided.yes()) {
          yeses.add(
              new Answer(
                  contract.name(),
                  "ann",
                  node.number(),
                  Verdict.YES,
                  Origin.STORE,
                  sent,
                  decided.before(),
                  decided.after(),
                  System.nanoTime()));
        }
      }
    }
    return yeses;
  }
}
