package io.weir.chaos;

import io.weir.Origin;
import io.weir.rig.Until;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Some nodes, usually three, and a group of Redis servers, each a process at a place of its own in
 * one network.
 */
final class Stage implements AutoCloseable {
  private static final int NODES = 3;
  private static final Duration TIMEOUT = Duration.ofMillis(50);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** After so long an answer is not waited for any more, and the question put again. */
  private static final Duration ANSWER = Duration.ofSeconds(5);

  /** A limiter's time may be so much behind its wall clock. */
  private static final Duration LATE = Duration.ofMillis(50);

  private final Network network;
  private final RedisGroup redis;
  private final List<Node> nodes = new ArrayList<>();
  private final List<Contract> contracts = new ArrayList<>();

  private Stage(Network network, RedisGroup redis) {
    this.network = network;
    this.redis = redis;
  }

  /** All up in the best network that there is. */
  static Stage open() {
    return open(Network.best(), NODES, TIMEOUT);
  }

  /**
   * All up in {@code network}, which ends with the stage, with so many nodes that wait for Redis as
   * long as {@code timeout}.
   */
  static Stage open(Network network, int nodes, Duration timeout) {
    @Nullable Stage stage = null;
    try {
      stage = new Stage(network, RedisGroup.start(network));
      stage.startNodes(nodes, timeout);
      return stage;
    } catch (RuntimeException | Error e) {
      if (stage == null) {
        network.close();
      } else {
        stage.close();
      }
      throw e;
    }
  }

  private void startNodes(int count, Duration timeout) {
    for (int i = 1; i <= count; i++) {
      nodes.add(Node.start(i, network.join("node-" + i), redis.url(timeout)));
    }
  }

  Network network() {
    return network;
  }

  RedisGroup redis() {
    return redis;
  }

  List<Node> nodes() {
    return nodes;
  }

  /** How often nodes have begun to count by themselves. */
  int lives() {
    return nodes.stream().mapToInt(Node::lives).sum();
  }

  /** From now on all nodes know {@code contract}, also when they start again. */
  void open(Contract contract) {
    contracts.add(contract);
    nodes.forEach(node -> open(node, contract));
  }

  /** From now on this node knows all contracts: one that was started without them. */
  void introduce(Node node) {
    contracts.forEach(contract -> open(node, contract));
  }

  /** Forgets all contracts. */
  void forget() {
    contracts.clear();
  }

  /** Starts a node again that has ended. */
  void startAgain(Node node) {
    node.startAgain();
    introduce(node);
  }

  /**
   * Waits until all limiters go by the clocks of their nodes, which may have been put forward: that
   * is followed as soon as they look. Back they go slowly, and that is not waited for.
   */
  void awaitClocks() {
    for (Node node : nodes) {
      for (Contract contract : contracts) {
        Until.holds(
            () -> node + " goes by its clock for " + contract,
            PATIENCE,
            () -> node.ahead(contract).compareTo(node.clockAhead().minus(LATE)) >= 0);
      }
    }
  }

  private static void open(Node node, Contract contract) {
    Until.holds(
        () -> node + " knows " + contract + "; it said:\n" + node.log(),
        PATIENCE,
        () -> {
          node.open(contract.at(node.number()), PATIENCE);
          return true;
        });
  }

  /**
   * Puts everything right that may have been hurt, and waits until it is. Nodes that have ended are
   * there again, and know nothing.
   */
  void heal() {
    network.heal();
    nodes.forEach(Node::resume);
    nodes.forEach(node -> node.putClock(Duration.ZERO));
    nodes.forEach(node -> node.setRate(0));
    redis.heal();
    for (Node node : nodes) {
      if (!node.isRunning()) {
        node.startAgain();
      }
    }
  }

  /** Waits until every node says yes to somebody new, by limits such as these. */
  void awaitService(List<Contract> wanted) {
    wanted.stream().map(Stage::probe).forEach(probe -> awaitService(probe, PATIENCE));
  }

  private static Contract probe(Contract contract) {
    return new Contract(
        String.join(
            "-",
            "probe",
            contract.consistency().name(),
            contract.policy().name(),
            Long.toString(contract.period().toMillis())),
        contract.consistency(),
        contract.policy(),
        Contract.Algorithm.TOKEN_BUCKET,
        10_000,
        contract.period());
  }

  private void awaitService(Contract contract, Duration patience) {
    for (Node node : nodes) {
      Until.holds(
          () -> node + " serves " + contract + "; it said:\n" + node.log(),
          patience,
          () -> serves(node, contract));
    }
  }

  private static boolean serves(Node node, Contract contract) throws Exception {
    node.open(contract, ANSWER);
    Decided decided =
        node.check(contract.name(), "probe-" + node.number(), 1)
            .get(ANSWER.toMillis(), TimeUnit.MILLISECONDS)
            .get(0);
    return decided.yes() && decided.origin() != Origin.FAILURE;
  }

  /**
   * Which node does not serve {@code wanted}, all of them, long after all else is well. That is
   * nobody's fault but its own, unless Redis has failed meanwhile.
   */
  Optional<String> whoDoesNotServe(List<Contract> wanted) {
    return whoDoesNotServe(wanted, PATIENCE);
  }

  Optional<String> whoDoesNotServe(List<Contract> wanted, Duration patience) {
    try {
      wanted.forEach(contract -> awaitService(contract, patience));
      return Optional.empty();
    } catch (AssertionError unserved) {
      if (!redis.isWellNow()) {
        throw new StageFailure(unserved);
      }
      return Optional.of(unserved.getMessage());
    }
  }

  @Override
  public void close() {
    nodes.forEach(Node::close);
    redis.close();
    network.close();
  }
}
