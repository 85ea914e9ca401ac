package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Consistency;
import io.weir.chaos.audit.Auditor;
import io.weir.chaos.audit.Contract;
import io.weir.chaos.audit.Contract.Algorithm;
import io.weir.chaos.audit.Guarantee;
import io.weir.chaos.audit.RecordedCheck;
import io.weir.chaos.audit.Violation;
import io.weir.rig.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnJre;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two nodes and nothing that goes wrong but what is done here, step by step. */
@Tag("slow")
@EnabledOnJre(JRE.JAVA_17) // slow, and the same on others
class TestClusterTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Duration SHORT = Duration.ofMillis(500);
  private static final Duration MAX_WAIT = Duration.ofSeconds(60);
  private static final Duration HOUR = Duration.ofHours(1);

  private static TestCluster testCluster;

  @BeforeAll
  static void open() {
    testCluster = TestCluster.open(new LoopbackNetwork(), 2, TIMEOUT);
    testCluster.redis().sentinelsWait(Duration.ofHours(1));
  }

  @AfterAll
  static void close() {
    testCluster.close();
  }

  private static Contract contract(Consistency consistency, long permits) {
    return contract("steps", consistency, permits);
  }

  private static Contract contract(String name, Consistency consistency, long permits) {
    return new Contract(
        name + "-" + consistency, consistency, Algorithm.SLIDING_LOG, permits, HOUR);
  }

  /** Checks until nothing is left, and returns the grants. */
  private static List<RecordedCheck> spendAll(NodeProcess nodeProcess, Contract contract)
      throws Exception {
    List<RecordedCheck> grants = new ArrayList<>();
    while (true) {
      long sent = System.nanoTime();
      TimedDecision it =
          nodeProcess
              .check(contract.name(), "ann", 1)
              .get(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS)
              .get(0);
      if (!it.allowed()) {
        return grants;
      }
      grants.add(
          new RecordedCheck(
              contract.name(),
              "ann",
              nodeProcess.number(),
              RecordedCheck.Result.ALLOWED,
              it.origin(),
              sent,
              it.before(),
              it.after(),
              System.nanoTime()));
    }
  }

  private static boolean isAllowed(NodeProcess nodeProcess, Contract contract) throws Exception {
    return nodeProcess
        .check(contract.name(), "ann", 1)
        .get(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS)
        .get(0)
        .allowed();
  }

  /**
   * Nodes that send nothing, or receive nothing, keep the bound of {@code eventual} all the same.
   */
  @Test
  void eventualNodeLearnsGrantsOfTheOtherNode() throws Exception {
    Contract contract = contract(Consistency.EVENTUAL, 400);
    testCluster.open(contract);
    testCluster.awaitService(List.of(contract));
    NodeProcess first = testCluster.nodes().get(0);
    NodeProcess second = testCluster.nodes().get(1);
    while (isAllowed(first, contract)) {}

    int tooMany = 0;
    while (tooMany < 200 && isAllowed(second, contract)) {
      tooMany++;
      Thread.sleep(50);
    }
    assertThat(tooMany).isLessThan(200);
  }

  /**
   * Forward at once, back never; what is opened later begins with the clock's time at that moment.
   */
  @Test
  void limitersOfANodeUseItsClock() {
    Contract contract = contract(Consistency.EXACT, 1000);
    testCluster.open(contract);
    NodeProcess nodeProcess = testCluster.nodes().get(0);
    int lives = testCluster.lives();
    try {
      assertThat(nodeProcess.ahead(contract)).isBetween(SHORT.negated(), SHORT);
      nodeProcess.putClock(HOUR);
      testCluster.awaitClocks();
      assertThat(nodeProcess.ahead(contract)).isBetween(HOUR.minus(SHORT), HOUR.plus(SHORT));
      assertThat(testCluster.nodes().get(1).ahead(contract)).isBetween(SHORT.negated(), SHORT);
      assertThat(testCluster.lives()).isEqualTo(lives + 1);
    } finally {
      testCluster.heal();
    }
    Contract later = contract("later", Consistency.EXACT, 1000);
    testCluster.open(later);
    assertThat(nodeProcess.ahead(contract)).isGreaterThan(HOUR.dividedBy(2));
    assertThat(nodeProcess.ahead(later)).isBetween(SHORT.negated(), SHORT);
    assertThat(testCluster.lives()).isEqualTo(lives + 1);
  }

  /**
   * A store that counts by a node's clock forgets when it is stepped forward. {@code eventual}
   * does, and the auditor finds it. Once more for the step is permitted, and no more.
   */
  @ParameterizedTest
  @CsvSource({"EXACT, 40", "LEASED, 40", "EVENTUAL, 80"})
  void findsOverspendingAfterAForwardClockStep(Consistency consistency, int granted)
      throws Exception {
    Contract contract = contract("forward", consistency, 40);
    testCluster.open(contract);
    testCluster.awaitService(List.of(contract));
    NodeProcess nodeProcess = testCluster.nodes().get(0);
    int lives = testCluster.lives();
    List<RecordedCheck> log = new ArrayList<>(spendAll(nodeProcess, contract));
    assertThat(log).hasSize(40);
    try {
      nodeProcess.putClock(HOUR.multipliedBy(2));
      testCluster.awaitClocks();
      log.addAll(spendAll(nodeProcess, contract));
    } finally {
      testCluster.heal();
    }

    List<Violation> found = new Auditor(contract.grantBound()).violations(log);
    assertThat(log).hasSize(granted);
    assertThat(found)
        .extracting(Violation::count)
        .isEqualTo(granted > 40 ? List.of(80L) : List.of());
    assertThat(testCluster.lives()).isEqualTo(lives + 1);
    assertThat(new Guarantee(contract, true, 1 + testCluster.lives() - lives).brokenBy(log))
        .isEmpty();
  }

  /** Its wall clock is the one that is compared with Redis's. */
  @Test
  void strictNodeRestartedWithAWrongClockGrantsNothing() {
    Contract contract =
        new Contract(
            "doubt", Consistency.STRICT, Algorithm.SLIDING_LOG, 1000, Duration.ofSeconds(1));
    testCluster.open(contract);
    NodeProcess nodeProcess = testCluster.nodes().get(0);
    int lives = testCluster.lives();
    String doubt = "its clock and ours are ";
    assertThat(nodeProcess.log()).doesNotContain(doubt);
    try {
      nodeProcess.kill();
      nodeProcess.putClock(HOUR);
      testCluster.startAgain(nodeProcess);
      Await.holds("it doubts", () -> nodeProcess.log().contains(doubt));
      assertThat(nodeProcess.ahead(contract)).isBetween(HOUR.minus(SHORT), HOUR.plus(SHORT));
      assertThat(testCluster.lives()).isEqualTo(lives + 1);
    } finally {
      testCluster.heal();
    }
    assertThat(testCluster.nodeNotServing(List.of(contract))).isEmpty();
  }

  /** A limiter that is not open yet is none of its faults; an order that it cannot do is. */
  @Test
  void errorOfANodeIsNotAMissingResponse() {
    Contract contract = contract(Consistency.EXACT, 1_000_000);
    testCluster.open(contract);
    NodeProcess nodeProcess = testCluster.nodes().get(0);
    assertThatThrownBy(() -> nodeProcess.check("nobody", "ann", 1).get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(IOException.class);
    assertThatThrownBy(
            () -> nodeProcess.check(contract.name(), "two words", 1).get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(NodeError.class);
  }

  @Test
  void reportsANodeThatDoesNotServe() {
    List<Contract> contracts = List.of(contract(Consistency.EXACT, 1_000_000));
    assertThat(testCluster.nodeNotServing(contracts)).isEmpty();
    NodeProcess hanging = testCluster.nodes().get(0);
    hanging.suspend();
    try {
      assertThat(testCluster.nodeNotServing(contracts, SHORT))
          .hasValueSatisfying(node -> assertThat(node).contains(hanging.toString(), "serves"));
    } finally {
      hanging.resume();
    }
    assertThat(testCluster.nodeNotServing(contracts)).isEmpty();
  }

  @Test
  void missingRedisIsNotReportedAsNodeFailure() {
    List<Contract> contracts = List.of(contract(Consistency.STRICT, 1_000_000));
    RedisServer replica = testCluster.redis().otherThan(testCluster.redis().primary());
    replica.kill();
    try {
      assertThatThrownBy(() -> testCluster.nodeNotServing(contracts, SHORT))
          .isInstanceOf(TestClusterFailure.class);
    } finally {
      testCluster.heal();
    }
  }
}
