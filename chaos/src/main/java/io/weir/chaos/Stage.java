package io.weir.chaos;

import io.weir.Consistency;
import io.weir.Origin;
import io.weir.rig.Until;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Three nodes, a primary with a replica and three Sentinels, each a process at a place of its own
 * in one network.
 */
final class Stage implements AutoCloseable {
  private static final int NODES = 3;
  private static final int SENTINELS = 3;
  private static final String NAME = "weir";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Network network;
  private final List<RedisServer> servers = new ArrayList<>();
  private final List<RedisServer> sentinels = new ArrayList<>();
  private final List<Node> nodes = new ArrayList<>();
  private final List<Contract> contracts = new ArrayList<>();

  private Stage(Network network) {
    this.network = network;
  }

  /** All up, and everybody knows everybody. */
  static Stage open() {
    Stage stage = new Stage(Network.best());
    try {
      stage.startAll();
      return stage;
    } catch (RuntimeException | Error e) {
      stage.close();
      throw e;
    }
  }

  private void startAll() {
    RedisServer first = RedisServer.server(network.join("server-1"));
    servers.add(first);
    RedisServer second = RedisServer.server(network.join("server-2"));
    servers.add(second);
    second.follow(first);
    Until.holds("replication", () -> second.follows(first));
    for (int i = 1; i <= SENTINELS; i++) {
      sentinels.add(RedisServer.sentinel(network.join("sentinel-" + i), watch(first)));
    }
    awaitWholeRedis();
    for (int i = 1; i <= NODES; i++) {
      nodes.add(Node.start(i, network.join("node-" + i), url()));
    }
  }

  private static String[] watch(RedisServer primary) {
    return new String[] {
      "sentinel monitor " + NAME + " " + primary.address().replace(':', ' ') + " 2",
      "sentinel down-after-milliseconds " + NAME + " 500",
      "sentinel failover-timeout " + NAME + " 1000",
      "sentinel parallel-syncs " + NAME + " 5"
    };
  }

  private String url() {
    return "redis-sentinel://"
        + sentinels.stream().map(RedisServer::address).collect(Collectors.joining(","))
        + "?timeout=50ms&connect_timeout=300ms&replicas=1#"
        + NAME;
  }

  Network network() {
    return network;
  }

  List<Node> nodes() {
    return nodes;
  }

  List<RedisServer> sentinels() {
    return sentinels;
  }

  List<RedisServer> servers() {
    return servers;
  }

  /** Whom the first Sentinel takes for the primary. */
  RedisServer primary() {
    return primary(sentinels.get(0));
  }

  private RedisServer primary(RedisServer sentinel) {
    List<?> told = (List<?>) sentinel.call("SENTINEL", "get-master-addr-by-name", NAME);
    String address = told.get(0) + ":" + told.get(1);
    return servers.stream()
        .filter(server -> server.address().equals(address))
        .findFirst()
        .orElseThrow();
  }

  /** The other one. */
  RedisServer otherThan(RedisServer server) {
    return servers.get(0) == server ? servers.get(1) : servers.get(0);
  }

  /** Which data set there is: another one after a failover or a restart. */
  String dataSet() {
    RedisServer primary = primary();
    return primary.address() + " " + primary.info("server", "run_id");
  }

  /** How soon the Sentinels take a primary for dead that does not answer. */
  void sentinelsWait(Duration patience) {
    String millis = Long.toString(patience.toMillis());
    for (RedisServer sentinel : sentinels) {
      sentinel.call("SENTINEL", "SET", NAME, "down-after-milliseconds", millis);
    }
  }

  /** Makes a server that has come back a replica, if there is another primary. */
  void rejoin(RedisServer server) {
    RedisServer primary = primary();
    if (primary != server) {
      server.follow(primary);
    }
  }

  /** Waits until the Sentinels have another primary, at most as long as {@code patience}. */
  void awaitFailoverOf(RedisServer primary, Duration patience) throws InterruptedException {
    long start = System.nanoTime();
    while (primary() == primary && System.nanoTime() - start < patience.toNanos()) {
      Thread.sleep(5);
    }
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
    for (RedisServer server : servers) {
      server.rightClock();
      server.resume();
      server.removeSaved();
      if (!server.isRunning()) {
        server.startAgain();
      }
    }
    awaitWholeRedis();
    for (Node node : nodes) {
      if (!node.isRunning()) {
        startAgain(node);
      }
    }
  }

  private void awaitWholeRedis() {
    Until.holds(() -> "Redis is whole: " + told(), PATIENCE, this::isWhole);
  }

  private String told() {
    return Stream.concat(servers.stream(), sentinels.stream())
        .map(server -> server + ": " + server.call("INFO", "replication"))
        .collect(Collectors.joining("\n"));
  }

  private boolean isWhole() {
    RedisServer primary = primary();
    if (!primary.isPrimary()) {
      primary.call("REPLICAOF", "NO", "ONE");
      return false;
    }
    RedisServer replica = otherThan(primary);
    if (!replica.follows(primary)) {
      replica.follow(primary);
      return false;
    }
    String known = ",address=" + primary.address() + ",slaves=1,sentinels=" + SENTINELS;
    return sentinels.stream()
        .map(sentinel -> sentinel.info("sentinel", "master0"))
        .allMatch(about -> about.contains("status=ok") && about.endsWith(known));
  }

  /** Waits until every node says yes by the store, for each of {@code consistencies}. */
  void awaitService(List<Consistency> consistencies, String name) {
    for (Consistency consistency : consistencies) {
      Contract probe =
          new Contract(
              name + "-" + consistency,
              consistency,
              Contract.Algorithm.TOKEN_BUCKET,
              1_000,
              Duration.ofSeconds(1));
      for (Node node : nodes) {
        open(node, probe);
        Until.holds(() -> node + " serves " + probe, PATIENCE, () -> serves(node, probe));
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
    sentinels.forEach(RedisServer::close);
    servers.forEach(RedisServer::close);
    network.close();
  }
}
