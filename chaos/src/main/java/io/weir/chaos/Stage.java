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
 * A test cluster: some nodes, usually three, and a group of Redis servers. Each is a process at its
 * own place in one network.
 */
final class Stage implements AutoCloseable {
  private static final int NODES = 3;
  private static final Duration TIMEOUT = Duration.ofMillis(50);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** After this time an answer is given up, and the request repeated. */
  private static final Duration ANSWER = Duration.ofSeconds(5);

  /** How far a limiter's time may be behind its wall clock. */
  private static final Duration LATE = Duration.ofMillis(50);

  private final Network network;
  private final RedisGroup redis;
  private final List<Node> nodes = new ArrayList<>();
  private final List<Contract> contracts = new ArrayList<>();

  private Stage(Network network, RedisGroup redis) {
    this.network = network;
    this.redis = redis;
  }

  /** Starts everything in the best available network. */
  static Stage open() {
    return open(Network.best(), NODES, TIMEOUT);
  }

  /**
   * Starts everything in {@code network}, which is closed with the cluster, with this many nodes
   * and this {@code timeout} for Redis.
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

  /** How often nodes have begun to count locally from zero. */
  int lives() {
    return nodes.stream().mapToInt(Node::lives).sum();
  }

  /** Opens {@code contract} on all nodes, also after a restart. */
  void open(Contract contract) {
    contracts.add(contract);
    nodes.forEach(node -> open(node, contract));
  }

  /** Opens all contracts on a node that was started without them. */
  void introduce(Node node) {
    contracts.forEach(contract -> open(node, contract));
  }

  /** Forgets all contracts. */
  void forget() {
    contracts.clear();
  }

  /** Starts an ended node again. */
  void startAgain(Node node) {
    node.startAgain();
    introduce(node);
  }

  /**
   * Waits until all limiters follow the clocks of their nodes. A forward step is followed at the
   * next reading. A backward step is followed slowly and not awaited.
   */
  void awaitClocks() {
    for (Node node : nodes) {
      for (Contract contract : contracts) {
        Until.holds(
            () -> node + " follows its clock for " + contract,
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

  /** Repairs everything, and waits until it is healthy. Ended nodes run again, without state. */
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

  /** Waits until every node allows a request of a new user, under these limits. */
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
   * A node that does not serve all of {@code wanted}, long after everything else is healthy. That
   * is a bug of the node, unless Redis has failed meanwhile.
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
