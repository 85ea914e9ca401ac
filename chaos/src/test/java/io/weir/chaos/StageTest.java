package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Consistency;
import io.weir.chaos.Contract.Algorithm;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnJre;
import org.junit.jupiter.api.condition.JRE;

/** Two nodes and nothing that goes wrong but what is done here, step by step. */
@Tag("slow")
@EnabledOnJre(JRE.JAVA_17) // slow, and the same on others
class StageTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Duration SHORT = Duration.ofMillis(500);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

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
    return new Contract(
        "steps-" + consistency, consistency, Algorithm.SLIDING_LOG, permits, Duration.ofHours(1));
  }

  private static boolean isAllowed(Node node, Contract contract) throws Exception {
    return node.check(contract.name(), "ann", 1)
        .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .get(0)
        .yes();
  }

  /** Nodes that tell nothing, or hear nothing, keep the bound of {@code eventual} all the same. */
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

  @Test
  void aNodeThatDoesNotServeIsTold() {
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
