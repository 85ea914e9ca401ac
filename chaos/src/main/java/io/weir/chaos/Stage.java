package io.weir.chaos;

import io.weir.Origin;
import io.weir.rig.Until;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

  /** From now on all nodes know {@code contract}, also when they start again. */
  void open(Contract contract) {
    contracts.add(contract);
    nodes.forEach(node -> open(node, contract));
  }

  /** Forgets all contracts. */
  void forget() {
    contracts.clear();
  }

  /** Starts a node again that has ended. */
  void startAgain(Node node) {
    node.startAgain();
    contracts.forEach(contract -> open(node, contract));
  }

  private static void open(Node node, Contract contract) {
    Until.holds(
        () -> node + " knows " + contract + "; it said:\n" + node.log(),
        PATIENCE,
        () -> {
          node.open(contract);
          return true;
        });
  }

  /** Puts everything right that may have been hurt, and waits until it is. */
  void heal() {
    network.heal();
    nodes.forEach(Node::resume);
    redis.heal();
    for (Node node : nodes) {
      if (!node.isRunning()) {
        startAgain(node);
      }
    }
  }

  /** Waits until every node says yes to somebody new, by limits such as these. */
  void awaitService(List<Contract> wanted) {
    for (Contract contract : wanted) {
      Contract probe =
          new Contract(
              "probe-" + contract.consistency() + "-" + contract.period().toMillis(),
              contract.consistency(),
              Contract.Algorithm.TOKEN_BUCKET,
              10_000,
              contract.period());
      for (Node node : nodes) {
        open(node, probe);
        Until.holds(
            () -> node + " serves " + probe + "; it said:\n" + node.log(),
            PATIENCE,
            () -> serves(node, probe));
      }
    }
  }

  private static boolean serves(Node node, Contract probe) throws Exception {
    Decided decided =
        node.check(probe.name(), "probe", 1).get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS).get(0);
    return decided.yes() && decided.origin() != Origin.FAILURE;
  }

  @Override
  public void close() {
    nodes.forEach(Node::close);
    redis.close();
    network.close();
  }
}
