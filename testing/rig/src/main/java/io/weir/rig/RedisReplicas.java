package io.weir.rig;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A primary with replicas, and three Sentinels that replace it after a short outage. */
public final class RedisReplicas implements AutoCloseable {
  /** The Sentinels' name for the primary. */
  public static final String NAME = "weir";

  private static final int SENTINELS = 3;
  private static final String HASTY_MILLIS = "1000";
  private static final String PATIENT_MILLIS = "60000";
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final List<RedisProcess> servers = new ArrayList<>();
  private final List<RedisProcess> sentinels = new ArrayList<>();

  private RedisReplicas() {}

  /**
   * Starts a primary with {@code replicas} replicas, and Sentinels; waits until they have found
   * each other.
   */
  public static RedisReplicas start(RedisProgram program, int replicas, String... options) {
    RedisReplicas group = new RedisReplicas();
    try {
      group.startAll(program, replicas, List.of(options));
      return group;
    } catch (RuntimeException | Error e) {
      group.close();
      throw e;
    }
  }

  private void startAll(RedisProgram program, int replicas, List<String> options) {
    RedisProcess primary = RedisProcess.start(program, options.toArray(String[]::new));
    servers.add(primary);
    List<String> following = new ArrayList<>(options);
    following.add("replicaof 127.0.0.1 " + primary.port());
    for (int i = 0; i < replicas; i++) {
      servers.add(RedisProcess.start(program, following.toArray(String[]::new)));
    }
    for (RedisProcess replica : servers.subList(1, servers.size())) {
      Await.holds(replica + " follows", () -> isLinked(replica));
    }
    for (int i = 0; i < SENTINELS; i++) {
      sentinels.add(RedisProcess.start(program, RedisProcess.Kind.SENTINEL, watch(primary)));
    }
    for (RedisProcess sentinel : sentinels) {
      Await.holds(sentinel + " knows all servers", () -> knowsAllServers(sentinel, replicas));
    }
  }

  private static List<String> watch(RedisProcess primary) {
    return List.of(
        "sentinel monitor " + NAME + " 127.0.0.1 " + primary.port() + " 2",
        "sentinel down-after-milliseconds " + NAME + " " + PATIENT_MILLIS,
        "sentinel failover-timeout " + NAME + " 2000",
        "sentinel parallel-syncs " + NAME + " 5");
  }

  private static boolean isLinked(RedisProcess replica) {
    return replica.info("replication", "master_link_status").equals("up");
  }

  private static boolean knowsAllServers(RedisProcess sentinel, int replicas) {
    String about = sentinel.info("sentinel", "master0");
    return about.contains("status=ok")
        && about.contains(",slaves=" + replicas + ",")
        && about.endsWith(",sentinels=" + SENTINELS);
  }

  /** All servers, the initial primary first. */
  public List<RedisProcess> servers() {
    return List.copyOf(servers);
  }

  /** The Sentinels. */
  public List<RedisProcess> sentinels() {
    return List.copyOf(sentinels);
  }

  /** The current primary according to the Sentinels. */
  public RedisProcess primary() {
    Object address =
        sentinels.stream()
            .filter(RedisProcess::isRunning)
            .findFirst()
            .orElseThrow()
            .call("SENTINEL", "get-master-addr-by-name", NAME);
    String port = (String) ((List<?>) address).get(1);
    return servers.stream()
        .filter(server -> Integer.toString(server.port()).equals(port))
        .findFirst()
        .orElseThrow();
  }

  /**
   * Has the Sentinels detect that {@code old} is dead and elect another primary, which is returned.
   * Before and after that, they do not consider a slow server dead.
   */
  public RedisProcess failOver(RedisProcess old) {
    downAfter(HASTY_MILLIS);
    Await.holds(() -> "another primary than " + old, TIMEOUT, () -> primary() != old);
    downAfter(PATIENT_MILLIS);
    return awaitPrimaryOtherThan(old);
  }

  private void downAfter(String millis) {
    sentinels.forEach(
        each -> each.call("SENTINEL", "SET", NAME, "down-after-milliseconds", millis));
  }

  /** Waits until all Sentinels agree on a primary other than {@code old}, which accepts writes. */
  public RedisProcess awaitPrimaryOtherThan(RedisProcess old) {
    Await.holds(
        () -> "all agree on another primary than " + old,
        TIMEOUT,
        () -> {
          RedisProcess now = primary();
          return now != old
              && sentinels.stream().allMatch(each -> isSettled(each, now))
              && now.info("replication", "role").equals("master");
        });
    return primary();
  }

  private static boolean isSettled(RedisProcess sentinel, RedisProcess primary) {
    List<?> about = (List<?>) sentinel.call("SENTINEL", "MASTER", NAME);
    return about.get(about.indexOf("port") + 1).equals(Integer.toString(primary.port()))
        && about.get(about.indexOf("flags") + 1).equals("master");
  }

  /**
   * Starts a killed server as a replica; the Sentinels would take half a minute to reconfigure it.
   */
  public void rejoin(RedisProcess server) {
    server.startAgain();
    server.call("REPLICAOF", "127.0.0.1", Integer.toString(primary().port()));
    Await.holds(server + " follows", () -> isLinked(server));
  }

  /** {@code redis-sentinel://…} with all Sentinels. */
  public String url() {
    return "redis-sentinel://"
        + sentinels.stream().map(RedisProcess::address).collect(Collectors.joining(","))
        + "#"
        + NAME;
  }

  @Override
  public void close() {
    sentinels.forEach(RedisProcess::close);
    servers.forEach(RedisProcess::close);
  }
}
