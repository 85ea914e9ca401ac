package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import io.weir.Origin;
import io.weir.chaos.audit.Auditor;
import io.weir.chaos.audit.Contract;
import io.weir.chaos.audit.Contract.Algorithm;
import io.weir.chaos.audit.RecordedCheck;
import io.weir.chaos.audit.RecordedCheck.Result;
import io.weir.chaos.audit.Violation;
import io.weir.rig.Await;
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
  private static final Duration MAX_WAIT = Duration.ofSeconds(60);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Duration NEVER = Duration.ofHours(1);

  @Test
  void auditorFindsExactGrantingTheLimitTwice() throws Exception {
    try (TestCluster testCluster = TestCluster.open(new LoopbackNetwork(), 1, TIMEOUT)) {
      Contract contract = contract(Consistency.EXACT);
      testCluster.open(contract);
      testCluster.awaitService(List.of(contract));
      testCluster.redis().sentinelsWait(NEVER);
      RedisServer first = testCluster.redis().primary();
      RedisServer replica = testCluster.redis().otherThan(first);
      part(first, replica);

      List<RecordedCheck> log = new ArrayList<>(spendAll(testCluster, contract));
      assertThat(log).hasSize(LIMIT);
      assertThat(new Auditor(contract.grantBound()).violations(log)).isEmpty();

      first.kill();
      replica.resume();
      testCluster.redis().sentinelsWait(Duration.ofMillis(1500));
      Await.holds(() -> "a failover", MAX_WAIT, () -> testCluster.redis().primary() != first);
      testCluster.redis().sentinelsWait(NEVER);
      testCluster.heal();
      testCluster.awaitService(List.of(contract));
      log.addAll(spendAll(testCluster, contract));

      List<Violation> found = new Auditor(contract.grantBound()).violations(log);
      assertThat(found).hasSize(1);
      assertThat(found.get(0).count()).isEqualTo(2 * LIMIT);
      assertThat(found.get(0).allowed()).isEqualTo(LIMIT);
    }
  }

  /** The link is gone, and the replica, which hangs, cannot make another. */
  private static void part(RedisServer primary, RedisServer replica) {
    replica.suspend();
    Await.holds(
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

  /** Checks at every node until nothing is left, and returns the grants. */
  private static List<RecordedCheck> spendAll(TestCluster testCluster, Contract contract)
      throws Exception {
    List<RecordedCheck> grants = new ArrayList<>();
    for (NodeProcess nodeProcess : testCluster.nodes()) {
      for (int i = 0; i < 20; i++) {
        long sent = System.nanoTime();
        TimedDecision timedDecision =
            nodeProcess
                .check(contract.name(), "ann", 1)
                .get(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS)
                .get(0);
        if (timedDecision.allowed()) {
          grants.add(
              new RecordedCheck(
                  contract.name(),
                  "ann",
                  nodeProcess.number(),
                  Result.ALLOWED,
                  Origin.STORE,
                  sent,
                  timedDecision.before(),
                  timedDecision.after(),
                  System.nanoTime()));
        }
      }
    }
    return grants;
  }
}
