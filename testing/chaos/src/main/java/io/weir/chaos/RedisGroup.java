package io.weir.chaos;

import io.weir.rig.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A primary, its replica, and three Sentinels that swap the two when the primary is gone. */
final class RedisGroup implements AutoCloseable {
  private static final int SENTINELS = 3;
  private static final String NAME = "weir";
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Duration FAR_OFF = Duration.ofSeconds(5);

  private final List<RedisServer> servers = new ArrayList<>();
  private final List<RedisServer> sentinels = new ArrayList<>();

  private RedisGroup() {}

  /** Starts all servers, and waits until they have found each other. */
  static RedisGroup start(ClusterNetwork clusterNetwork) {
    RedisGroup group = new RedisGroup();
    try {
      group.startAll(clusterNetwork);
      return group;
    } catch (RuntimeException | Error e) {
      group.close();
      throw e;
    }
  }

  private void startAll(ClusterNetwork clusterNetwork) {
    RedisServer first = RedisServer.server(clusterNetwork.join("server-1"));
    servers.add(first);
    RedisServer second = RedisServer.server(clusterNetwork.join("server-2"));
    servers.add(second);
    second.follow(first);
    Await.holds("replication", () -> second.follows(first));
    for (int i = 1; i <= SENTINELS; i++) {
      sentinels.add(RedisServer.sentinel(clusterNetwork.join("sentinel-" + i), watch(first)));
    }
    awaitWhole();
  }

  private static String[] watch(RedisServer primary) {
    return new String[] {
      "sentinel monitor " + NAME + " " + primary.address().replace(':', ' ') + " 2",
      "sentinel down-after-milliseconds " + NAME + " 500",
      "sentinel failover-timeout " + NAME + " 1000",
      "sentinel parallel-syncs " + NAME + " 5"
    };
  }

  /** A URL for a store with this {@code timeout}. */
  String url(Duration timeout) {
    return "redis-sentinel://"
        + sentinels.stream().map(RedisServer::address).collect(Collectors.joining(","))
        + "?timeout="
        + timeout.toMillis()
        + "ms&connect_timeout=300ms&replicas=1#"
        + NAME;
  }

  List<RedisServer> servers() {
    return servers;
  }

  List<RedisServer> sentinels() {
    return sentinels;
  }

  /** The primary according to the first running Sentinel. */
  RedisServer primary() {
    RedisServer sentinel =
        sentinels.stream().filter(RedisServer::isRunning).findFirst().orElseThrow();
    Object state = sentinel.call("SENTINEL", "get-master-addr-by-name", NAME);
    String address = ((List<?>) state).get(0) + ":" + ((List<?>) state).get(1);
    return servers.stream()
        .filter(server -> server.address().equals(address))
        .findFirst()
        .orElseThrow();
  }

  /** The other of the two. */
  RedisServer otherThan(RedisServer server) {
    return servers.get(0) == server ? servers.get(1) : servers.get(0);
  }

  /** The id of the data set, which changes with a failover or a restart. */
  String dataSet() {
    RedisServer primary = primary();
    return primary.address() + " " + primary.info("server", "run_id");
  }

  /** Sets how long a primary may be silent before the Sentinels consider it dead. */
  void sentinelsWait(Duration timeout) {
    String millis = Long.toString(timeout.toMillis());
    for (RedisServer sentinel : sentinels) {
      sentinel.call("SENTINEL", "SET", NAME, "down-after-milliseconds", millis);
    }
  }

  /** Waits until the Sentinels have another primary, at most for {@code timeout}. */
  void awaitFailoverOf(RedisServer primary, Duration timeout) throws InterruptedException {
    long start = System.nanoTime();
    while (primary() == primary && System.nanoTime() - start < timeout.toNanos()) {
      Thread.sleep(5);
    }
  }

  /** Has the Sentinels promote the replica at once, whatever they know of the primary. */
  void failOver() {
    RedisServer sentinel =
        sentinels.stream().filter(RedisServer::isRunning).findFirst().orElseThrow();
    Await.holds(
        "the failover begins",
        () -> {
          sentinel.call("SENTINEL", "FAILOVER", NAME);
          return true;
        });
  }

  /** Makes a returning server a replica, if there is another primary. */
  void rejoin(RedisServer server) {
    RedisServer primary = primary();
    if (primary != server) {
      server.follow(primary);
    }
  }

  /** Repairs all servers, and waits until they are healthy. */
  void heal() {
    boolean wasFarOff = false;
    for (RedisServer server : servers) {
      wasFarOff |= server.rightClock().compareTo(FAR_OFF) > 0;
      server.resume();
      server.removeSaved();
      if (!server.isRunning()) {
        server.startAgain();
      }
      server.keepAll();
    }
    for (RedisServer sentinel : sentinels) {
      if (!sentinel.isRunning()) {
        sentinel.startAgain();
      }
    }
    awaitWhole();
    if (wasFarOff) {
      // Data written with that clock lies in the future now, and strict limits would wait for it.
      primary().call("FLUSHALL");
    }
  }

  private void awaitWhole() {
    Await.holds(() -> "Redis is healthy: " + state(), TIMEOUT, this::isWhole);
  }

  private String state() {
    return Stream.concat(servers.stream(), sentinels.stream())
        .map(server -> server + ": " + server.call("INFO"))
        .collect(Collectors.joining("\n"));
  }

  /** Whether all servers run, in their expected roles. */
  boolean isWellNow() {
    try {
      return isWhole();
    } catch (RuntimeException gone) {
      return false;
    }
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

  @Override
  public void close() {
    sentinels.forEach(RedisServer::close);
    servers.forEach(RedisServer::close);
  }
}
