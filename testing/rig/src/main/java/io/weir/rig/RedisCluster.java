package io.weir.rig;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A Redis cluster: shards that share the slots evenly, with or without replicas. */
public final class RedisCluster implements AutoCloseable {
  /** The number of slots of a cluster. */
  public static final int SLOTS = 16_384;

  private static final String HASTY_MILLIS = "1000";

  private final List<RedisProcess> primaries = new ArrayList<>();
  private final List<RedisProcess> replicas = new ArrayList<>();

  private RedisCluster() {}

  /**
   * Three shards without replicas. A lost shard takes only its own slots with it. The node timeout
   * is long: without replicas a quick failure detection is of no use, and on a busy machine any
   * node may be slow.
   */
  public static RedisCluster start(RedisProgram program) {
    RedisCluster cluster = start(program, 3, 0);
    cluster.bePatient();
    return cluster;
  }

  /** Starts {@code shards} with this many replicas each; waits until every node reports ok. */
  public static RedisCluster start(
      RedisProgram program, int shards, int replicasOfEach, String... options) {
    RedisCluster cluster = new RedisCluster();
    try {
      cluster.startAll(program, shards, replicasOfEach, List.of(options));
      return cluster;
    } catch (RuntimeException | Error e) {
      cluster.close();
      throw e;
    }
  }

  private void startAll(
      RedisProgram program, int shards, int replicasOfEach, List<String> options) {
    String[] all =
        Stream.concat(
                Stream.of(
                    "cluster-enabled yes",
                    "cluster-config-file nodes.conf",
                    "cluster-node-timeout " + HASTY_MILLIS,
                    "cluster-replica-validity-factor 0",
                    "cluster-require-full-coverage no"),
                options.stream())
            .toArray(String[]::new);
    for (int i = 0; i < shards; i++) {
      primaries.add(RedisProcess.start(program, all));
    }
    for (int i = 0; i < shards * replicasOfEach; i++) {
      replicas.add(RedisProcess.start(program, all));
    }
    for (int i = 0; i < shards; i++) {
      primaries.get(i).call("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
      addSlots(primaries.get(i), SLOTS * i / shards, SLOTS * (i + 1) / shards);
    }
    // Introduces each node to all others, which is quicker than gossip.
    for (RedisProcess node : nodes()) {
      for (RedisProcess other : nodes()) {
        if (node.port() < other.port()) {
          node.call("CLUSTER", "MEET", "127.0.0.1", Integer.toString(other.port()));
        }
      }
    }
    awaitOk();
    for (int i = 0; i < replicas.size(); i++) {
      RedisProcess replica = replicas.get(i);
      replica.call("CLUSTER", "REPLICATE", id(primaries.get(i % shards)));
      Await.holds(
          replica + " follows",
          () -> replica.info("replication", "master_link_status").equals("up"));
    }
    awaitOk();
  }

  /** From now on a node that does not respond is soon considered failed, as at the start. */
  public void beHasty() {
    nodeTimeout(HASTY_MILLIS);
  }

  /** From now on a slow node is not considered failed. */
  public void bePatient() {
    nodeTimeout("60000");
  }

  private void nodeTimeout(String millis) {
    nodes().stream()
        .filter(RedisProcess::isRunning)
        .forEach(node -> node.call("CONFIG", "SET", "cluster-node-timeout", millis));
  }

  private static void addSlots(RedisProcess node, int from, int to) {
    List<String> command = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
    IntStream.range(from, to).mapToObj(Integer::toString).forEach(command::add);
    node.call(command.toArray(String[]::new));
  }

  /** Waits until every running node lists all others and reports ok. */
  public void awaitOk() {
    for (RedisProcess node : nodes()) {
      if (node.isRunning()) {
        Await.holds(
            node + " says ok",
            () -> {
              var info = RedisProcess.fields((String) node.call("CLUSTER", "INFO"));
              return "ok".equals(info.get("cluster_state"))
                  && info.get("cluster_known_nodes").equals(Integer.toString(nodes().size()))
                  && info.get("cluster_slots_ok").equals(Integer.toString(SLOTS))
                  && !((String) node.call("CLUSTER", "NODES")).contains("handshake");
            });
      }
    }
  }

  /** All nodes, the initial primaries first. */
  public List<RedisProcess> nodes() {
    return Stream.concat(primaries.stream(), replicas.stream()).toList();
  }

  /** Shard {@code number}, from 0: its initial primary. */
  public RedisProcess shard(int number) {
    return primaries.get(number);
  }

  /** The slot of {@code key}. */
  public int slot(String key) {
    return ((Long) anyNode().call("CLUSTER", "KEYSLOT", key)).intValue();
  }

  /**
   * The node that owns {@code slot} now. Each node is queried for its own slots only, because its
   * knowledge of others may be older than the last move.
   */
  public RedisProcess owner(int slot) {
    List<RedisProcess> owners = new ArrayList<>();
    Await.holds(
        "one node owns slot " + slot,
        () -> {
          owners.clear();
          nodes().stream()
              .filter(node -> node.isRunning() && owns(node, slot))
              .forEach(owners::add);
          return owners.size() == 1;
        });
    return owners.get(0);
  }

  private static boolean owns(RedisProcess node, int slot) {
    for (String line : ((String) node.call("CLUSTER", "NODES")).split("\n")) {
      List<String> words = List.of(line.split(" "));
      if (words.get(2).startsWith("myself")) {
        return words.subList(8, words.size()).stream()
            .anyMatch(range -> !range.startsWith("[") && contains(range, slot));
      }
    }
    return false;
  }

  private static boolean contains(String range, int slot) {
    int[] ends = Arrays.stream(range.split("-")).mapToInt(Integer::parseInt).toArray();
    return ends[0] <= slot && slot <= ends[ends.length - 1];
  }

  private RedisProcess anyNode() {
    return nodes().stream().filter(RedisProcess::isRunning).findFirst().orElseThrow();
  }

  private static String id(RedisProcess node) {
    return (String) node.call("CLUSTER", "MYID");
  }

  /** Moves a slot with its keys to {@code target}, in batches. */
  public void move(int slot, RedisProcess target) {
    RedisProcess source = owner(slot);
    beginMove(slot, target);
    while (moveSomeKeys(slot, target, 10) > 0) {
      // More keys are left.
    }
    String owner = id(target);
    for (RedisProcess each :
        Stream.concat(Stream.of(target, source), others(source, target)).toList()) {
      each.call("CLUSTER", "SETSLOT", Integer.toString(slot), "NODE", owner);
    }
  }

  /** From now on a key that {@code slot} does not have is at {@code target}. */
  public void beginMove(int slot, RedisProcess target) {
    RedisProcess source = owner(slot);
    target.call("CLUSTER", "SETSLOT", Integer.toString(slot), "IMPORTING", id(source));
    source.call("CLUSTER", "SETSLOT", Integer.toString(slot), "MIGRATING", id(target));
  }

  /** Moves up to {@code maxKeys} keys of a slot that is being moved, and returns how many. */
  public int moveSomeKeys(int slot, RedisProcess target, int maxKeys) {
    RedisProcess source = owner(slot);
    List<?> keys =
        (List<?>)
            source.call(
                "CLUSTER", "GETKEYSINSLOT", Integer.toString(slot), Integer.toString(maxKeys));
    if (!keys.isEmpty()) {
      List<String> command = new ArrayList<>(List.of("MIGRATE", "127.0.0.1"));
      command.addAll(List.of(Integer.toString(target.port()), "", "0", "5000", "KEYS"));
      keys.forEach(key -> command.add((String) key));
      source.call(command.toArray(String[]::new));
    }
    return keys.size();
  }

  private Stream<RedisProcess> others(RedisProcess source, RedisProcess target) {
    return primaries.stream().filter(node -> node != source && node != target && node.isRunning());
  }

  /** {@code redis-cluster://…} with all nodes. */
  public String url() {
    return "redis-cluster://"
        + nodes().stream().map(RedisProcess::address).collect(Collectors.joining(","));
  }

  /** Deletes all keys. */
  public void flush() {
    primaries.forEach(RedisProcess::flush);
  }

  @Override
  public void close() {
    nodes().forEach(RedisProcess::close);
  }
}
