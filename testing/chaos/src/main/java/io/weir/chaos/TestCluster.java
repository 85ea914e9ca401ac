package io.weir.chaos;

import io.weir.Origin;
import io.weir.chaos.audit.Contract;
import io.weir.rig.Await;
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
final class TestCluster implements AutoCloseable {
  private static final int NODES = 3;
  private static final Duration TIMEOUT = Duration.ofMillis(50);
  private static final Duration MAX_WAIT = Duration.ofSeconds(60);

  /** The time after which a request without a reply is repeated. */
  private static final Duration REPLY_TIMEOUT = Duration.ofSeconds(5);

  /** How far a limiter's time may be behind its wall clock. */
  private static final Duration LATE = Duration.ofMillis(50);

  private final ClusterNetwork clusterNetwork;
  private final RedisGroup redis;
  private final List<NodeProcess> nodes = new ArrayList<>();
  private final List<Contract> contracts = new ArrayList<>();

  private TestCluster(ClusterNetwork clusterNetwork, RedisGroup redis) {
    this.clusterNetwork = clusterNetwork;
    this.redis = redis;
  }

  /** Starts everything in the best available network. */
  static TestCluster open() {
    return open(ClusterNetwork.best(), NODES, TIMEOUT);
  }

  /**
   * Starts everything in {@code network}, which is closed with the cluster, with this many nodes
   * and this {@code timeout} for Redis.
   */
  static TestCluster open(ClusterNetwork clusterNetwork, int nodes, Duration timeout) {
    @Nullable TestCluster testCluster = null;
    try {
      testCluster = new TestCluster(clusterNetwork, RedisGroup.start(clusterNetwork));
      testCluster.startNodes(nodes, timeout);
      return testCluster;
    } catch (RuntimeException | Error e) {
      if (testCluster == null) {
        clusterNetwork.close();
      } else {
        testCluster.close();
      }
      throw e;
    }
  }

  private void startNodes(int count, Duration timeout) {
    for (int i = 1; i <= count; i++) {
      nodes.add(NodeProcess.start(i, clusterNetwork.join("node-" + i), redis.url(timeout)));
    }
  }

  ClusterNetwork clusterNetwork() {
    return clusterNetwork;
  }

  RedisGroup redis() {
    return redis;
  }

  List<NodeProcess> nodes() {
    return nodes;
  }

  /** How often nodes have begun to count locally from zero. */
  int lives() {
    return nodes.stream().mapToInt(NodeProcess::lives).sum();
  }

  /** Opens {@code contract} on all nodes, also after a restart. */
  void open(Contract contract) {
    contracts.add(contract);
    nodes.forEach(nodeProcess -> open(nodeProcess, contract));
  }

  /** Opens all contracts on a node that was started without them. */
  void introduce(NodeProcess nodeProcess) {
    contracts.forEach(contract -> open(nodeProcess, contract));
  }

  /** Forgets all contracts. */
  void forget() {
    contracts.clear();
  }

  /** Starts an ended node again. */
  void startAgain(NodeProcess nodeProcess) {
    nodeProcess.startAgain();
    introduce(nodeProcess);
  }

  /**
   * Waits until all limiters follow the clocks of their nodes. A forward step is followed at the
   * next reading. A backward step is followed slowly and not awaited.
   */
  void awaitClocks() {
    for (NodeProcess nodeProcess : nodes) {
      for (Contract contract : contracts) {
        Await.holds(
            () -> nodeProcess + " follows its clock for " + contract,
            MAX_WAIT,
            () -> nodeProcess.ahead(contract).compareTo(nodeProcess.clockAhead().minus(LATE)) >= 0);
      }
    }
  }

  private static void open(NodeProcess nodeProcess, Contract contract) {
    Await.holds(
        () -> nodeProcess + " knows " + contract + "; it said:\n" + nodeProcess.log(),
        MAX_WAIT,
        () -> {
          nodeProcess.open(contract.at(nodeProcess.number()), MAX_WAIT);
          return true;
        });
  }

  /** Repairs everything, and waits until it is healthy. Ended nodes run again, without state. */
  void heal() {
    clusterNetwork.heal();
    nodes.forEach(NodeProcess::resume);
    nodes.forEach(nodeProcess -> nodeProcess.putClock(Duration.ZERO));
    nodes.forEach(nodeProcess -> nodeProcess.setRate(0));
    redis.heal();
    for (NodeProcess nodeProcess : nodes) {
      if (!nodeProcess.isRunning()) {
        nodeProcess.startAgain();
      }
    }
  }

  /** Waits until every node allows a request of a new user, under these limits. */
  void awaitService(List<Contract> wanted) {
    wanted.stream().map(TestCluster::probe).forEach(probe -> awaitService(probe, MAX_WAIT));
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

  private void awaitService(Contract contract, Duration timeout) {
    for (NodeProcess nodeProcess : nodes) {
      Await.holds(
          () -> nodeProcess + " serves " + contract + "; it said:\n" + nodeProcess.log(),
          timeout,
          () -> serves(nodeProcess, contract));
    }
  }

  private static boolean serves(NodeProcess nodeProcess, Contract contract) throws Exception {
    nodeProcess.open(contract, REPLY_TIMEOUT);
    TimedDecision timedDecision =
        nodeProcess
            .check(contract.name(), "probe-" + nodeProcess.number(), 1)
            .get(REPLY_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
            .get(0);
    return timedDecision.allowed() && timedDecision.origin() != Origin.FAILURE;
  }

  /**
   * A node that does not serve all of {@code wanted}, long after everything else is healthy. That
   * is a bug of the node, unless Redis has failed meanwhile.
   */
  Optional<String> nodeNotServing(List<Contract> wanted) {
    return nodeNotServing(wanted, MAX_WAIT);
  }

  Optional<String> nodeNotServing(List<Contract> wanted, Duration timeout) {
    try {
      wanted.forEach(contract -> awaitService(contract, timeout));
      return Optional.empty();
    } catch (AssertionError unserved) {
      if (!redis.isWellNow()) {
        throw new TestClusterFailure(unserved);
      }
      return Optional.of(unserved.getMessage());
    }
  }

  @Override
  public void close() {
    nodes.forEach(NodeProcess::close);
    redis.close();
    clusterNetwork.close();
  }
}
