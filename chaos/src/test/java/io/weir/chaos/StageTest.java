package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Consistency;
import io.weir.chaos.Contract.Algorithm;
import io.weir.rig.Until;
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
class StageTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Duration SHORT = Duration.ofMillis(500);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration HOUR = Duration.ofHours(1);

  private static Stage stage;

  @BeforeAll
  static void open() {
    stage = Stage.open(new Loopback(), 2, TIMEOUT);
    stage.redis().sentinelsWait(Duration.ofHours(1));
  }

  @AfterAll
  static void close() {
    stage.close();
  }

  private static Contract contract(Consistency consistency, long permits) {
    return contract("steps", consistency, permits);
  }

  private static Contract contract(String name, Consistency consistency, long permits) {
    return new Contract(
        name + "-" + consistency, consistency, Algorithm.SLIDING_LOG, permits, HOUR);
  }

  /** Asks until there is nothing left, and returns the yeses. */
  private static List<Answer> spendAll(Node node, Contract contract) throws Exception {
    List<Answer> yeses = new ArrayList<>();
    while (true) {
      long sent = System.nanoTime();
      Decided it =
          node.check(contract.name(), "ann", 1)
              .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
              .get(0);
      if (!it.yes()) {
        return yeses;
      }
      yeses.add(
          new Answer(
              contract.name(),
              "ann",
              node.number(),
              Answer.Verdict.YES,
              it.origin(),
              sent,
              it.before(),
              it.after(),
              System.nanoTime()));
    }
  }

  private static boolean isAllowed(Node node, Contract contract) throws Exception {
    return node.check(contract.name(), "ann", 1)
        .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .get(0)
        .yes();
  }

  /**
   * Nodes that send nothing, or receive nothing, keep the bound of {@code eventual} all the same.
   */
  @Test
  void whatOneNodeHasSpentEventuallyTheOtherKnows() throws Exception {
    Contract contract = contract(Consistency.EVENTUAL, 400);
    stage.open(contract);
    stage.awaitService(List.of(contract));
    Node first = stage.nodes().get(0);
    Node second = stage.nodes().get(1);
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
  void theLimitersOfANodeGoByItsClock() {
    Contract contract = contract(Consistency.EXACT, 1000);
    stage.open(contract);
    Node node = stage.nodes().get(0);
    int lives = stage.lives();
    try {
      assertThat(node.ahead(contract)).isBetween(SHORT.negated(), SHORT);
      node.putClock(HOUR);
      stage.awaitClocks();
      assertThat(node.ahead(contract)).isBetween(HOUR.minus(SHORT), HOUR.plus(SHORT));
      assertThat(stage.nodes().get(1).ahead(contract)).isBetween(SHORT.negated(), SHORT);
      assertThat(stage.lives()).isEqualTo(lives + 1);
    } finally {
      stage.heal();
    }
    Contract later = contract("later", Consistency.EXACT, 1000);
    stage.open(later);
    assertThat(node.ahead(contract)).isGreaterThan(HOUR.dividedBy(2));
    assertThat(node.ahead(later)).isBetween(SHORT.negated(), SHORT);
    assertThat(stage.lives()).isEqualTo(lives + 1);
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
    stage.open(contract);
    stage.awaitService(List.of(contract));
    Node node = stage.nodes().get(0);
    int lives = stage.lives();
    List<Answer> log = new ArrayList<>(spendAll(node, contract));
    assertThat(log).hasSize(40);
    try {
      node.putClock(HOUR.multipliedBy(2));
      stage.awaitClocks();
      log.addAll(spendAll(node, contract));
    } finally {
      stage.heal();
    }

    List<Violation> found = new Auditor(contract.bound()).violations(log);
    assertThat(log).hasSize(granted);
    assertThat(found)
        .extracting(Violation::count)
        .isEqualTo(granted > 40 ? List.of(80L) : List.of());
    assertThat(stage.lives()).isEqualTo(lives + 1);
    assertThat(new Promise(contract, true, 1 + stage.lives() - lives).brokenBy(log)).isEmpty();
  }

  /** Its wall clock is the one that is compared with Redis's. */
  @Test
  void aStrictNodeThatComesBackAtAWrongTimeIsInDoubt() {
    Contract contract =
        new Contract(
            "doubt", Consistency.STRICT, Algorithm.SLIDING_LOG, 1000, Duration.ofSeconds(1));
    stage.open(contract);
    Node node = stage.nodes().get(0);
    int lives = stage.lives();
    String doubt = "its clock and ours are ";
    assertThat(node.log()).doesNotContain(doubt);
    try {
      node.kill();
      node.putClock(HOUR);
      stage.startAgain(node);
      Until.holds("it doubts", () -> node.log().contains(doubt));
      assertThat(node.ahead(contract)).isBetween(HOUR.minus(SHORT), HOUR.plus(SHORT));
      assertThat(stage.lives()).isEqualTo(lives + 1);
    } finally {
      stage.heal();
    }
    assertThat(stage.whoDoesNotServe(List.of(contract))).isEmpty();
  }

  /** A limiter that is not open yet is none of its faults; an order that it cannot do is. */
  @Test
  void anErrorOfANodeIsNoMissingAnswer() {
    Contract contract = contract(Consistency.EXACT, 1_000_000);
    stage.open(contract);
    Node node = stage.nodes().get(0);
    assertThatThrownBy(() -> node.check("nobody", "ann", 1).get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(IOException.class);
    assertThatThrownBy(() -> node.check(contract.name(), "two words", 1).get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(NodeError.class);
  }

  @Test
  void reportsANodeThatDoesNotServe() {
    List<Contract> contracts = List.of(contract(Consistency.EXACT, 1_000_000));
    assertThat(stage.whoDoesNotServe(contracts)).isEmpty();
    Node hanging = stage.nodes().get(0);
    hanging.suspend();
    try {
      assertThat(stage.whoDoesNotServe(contracts, SHORT))
          .hasValueSatisfying(who -> assertThat(who).contains(hanging.toString(), "serves"));
    } finally {
      hanging.resume();
    }
    assertThat(stage.whoDoesNotServe(contracts)).isEmpty();
  }

  @Test
  void aRedisThatIsNotThereIsNoFaultOfTheNodes() {
    List<Contract> contracts = List.of(contract(Consistency.STRICT, 1_000_000));
    RedisServer replica = stage.redis().otherThan(stage.redis().primary());
    replica.kill();
    try {
      assertThatThrownBy(() -> stage.whoDoesNotServe(contracts, SHORT))
          .isInstanceOf(StageFailure.class);
    } finally {
      stage.heal();
    }
  }
}
