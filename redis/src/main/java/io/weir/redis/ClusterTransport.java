package io.weir.redis;

import io.netty.util.concurrent.EventExecutor;
import io.weir.redis.RedisFailure.Kind;
import io.weir.redis.RedisSettings.Node;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The connections to the shards of a cluster. Thread-safe.
 *
 * <p>A map gives the shard of each slot. It is refreshed every two seconds, and soon after any sign
 * of a change: a redirection, a lost connection, a slot without a node. A redirected call follows
 * at most five times.
 */
// Netty's futures are ignored where their failure also comes as an event.
@SuppressWarnings("FutureReturnValueIgnored")
final class ClusterTransport implements RedisTransport, Shard.OtherShards {
  private static final long PERIOD_MILLIS = 2000;
  private static final long SOON_MILLIS = 100;
  private static final long AGAIN_MILLIS = 2;
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final int MAX_HOPS = 5;

  private final RedisSettings settings;
  private final RedisConnector redisConnector;
  private final EventExecutor taskExecutor;
  private final CircuitBreaker.Factory breakers;
  private final Map<Node, Shard> shards = new ConcurrentHashMap<>();

  /** For slots without a node. */
  private final CircuitBreaker unserved;

  private volatile @Nullable Shard[] owners = new @Nullable Shard[ClusterSlot.COUNT];
  private volatile RedisFailure unknown;

  // From here on: only used by the task thread.
  private boolean refreshing;
  private boolean refreshDue;
  private boolean known;
  private boolean welcome;
  private boolean closed;

  ClusterTransport(
      RedisSettings settings, RedisConnector redisConnector, CircuitBreaker.Factory breakers) {
    this.settings = settings;
    this.redisConnector = redisConnector;
    this.taskExecutor = redisConnector.taskExecutor();
    this.breakers = breakers;
    this.unserved = breakers.create("cluster", () -> probed(0));
    this.unknown =
        new RedisFailure(
            Kind.DISCONNECTED, "not yet connected to the cluster at " + settings.nodes());
    taskExecutor.execute(this::refreshAndAgain);
  }

  @Override
  public void send(ScriptCall scriptCall) {
    Shard shard = owners[ClusterSlot.of(scriptCall.keys()[0])];
    if (shard == null) {
      scriptCall.fail(unknown);
    } else {
      shard.send(scriptCall);
    }
  }

  @Override
  public CircuitBreaker breaker(byte[] key) {
    Shard shard = owners[ClusterSlot.of(key)];
    return shard == null ? unserved : shard.circuitBreaker();
  }

  @Override
  public boolean isThisThread() {
    return redisConnector.isThisThread();
  }

  @Override
  public void suspect(byte[] key) {
    Shard shard = owners[ClusterSlot.of(key)];
    if (shard != null) {
      shard.suspect();
    }
    refreshSoon();
  }

  // Redirections.

  @Override
  public boolean take(RespConnection respConnection, ScriptCall scriptCall, ErrorReply error) {
    if (error.is("MOVED")) {
      refreshSoon();
      return follow(respConnection, scriptCall, error, false);
    }
    if (error.is("ASK")) {
      return follow(respConnection, scriptCall, error, true);
    }
    if (error.is("TRYAGAIN")) {
      // Its keys are moving from one node to another: no node has all of them until the last has
      // moved. Retry until the deadline, after which the call has ended.
      if (!RetriedCall.isInVain(scriptCall)) {
        taskExecutor.schedule(
            () -> send(RetriedCall.fromStart(scriptCall)), AGAIN_MILLIS, TimeUnit.MILLISECONDS);
      }
      return true;
    }
    if (error.is("CLUSTERDOWN")) {
      refreshSoon();
    }
    return false;
  }

  /**
   * {@code MOVED 3999 127.0.0.1:6381}; without a host, it is the host that sent the redirection.
   */
  private boolean follow(
      RespConnection respConnection, ScriptCall scriptCall, ErrorReply error, boolean asking) {
    String[] words = error.text().split(" ", -1);
    Node node = words.length < 3 ? null : address(words[2], respConnection.server());
    if (node == null || RetriedCall.hops(scriptCall) >= MAX_HOPS) {
      return false;
    }
    shard(node).sendWhenUp(RetriedCall.redirected(scriptCall), asking);
    return true;
  }

  private static @Nullable Node address(String text, String speaker) {
    int colon = text.lastIndexOf(':');
    if (colon < 0) {
      return null;
    }
    return node(text.substring(0, colon), text.substring(colon + 1), speaker);
  }

  private static @Nullable Node node(@Nullable String host, String port, String speaker) {
    if (host == null || host.isEmpty() || host.equals("?")) {
      host = speaker.substring(0, speaker.lastIndexOf(':'));
    }
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    try {
      return new Node(host, Integer.parseInt(port));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private Shard shard(Node node) {
    return shards.computeIfAbsent(
        node,
        at -> {
          Shard shard =
              new Shard(
                  at.toString(),
                  breakers.create(at.toString(), () -> probed(at)),
                  taskExecutor,
                  settings.connections(),
                  () -> redisConnector.dial(at),
                  this);
          shard.open();
          return shard;
        });
  }

  /** A key in the first slot of {@code node}; null if it has none. */
  private byte @Nullable [] probed(Node node) {
    Shard shard = shards.get(node);
    @Nullable Shard[] present = owners;
    for (int slot = 0; slot < present.length; slot++) {
      if (present[slot] != null && present[slot] == shard) {
        return probed(slot);
      }
    }
    return null;
  }

  private byte[] probed(int slot) {
    return (settings.prefix() + ":probe:{" + ClusterSlot.tag(slot) + "}")
        .getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void lost(RedisFailure why) {
    if (!welcome) {
      unserved.disconnected(why);
    }
    refreshSoon();
  }

  /**
   * The breaker of unserved slots is probed in the first slot, as soon as its shard is reachable.
   */
  @Override
  public void reached() {
    Shard first = owners[0];
    if (!welcome && first != null && first.respConnection() != null) {
      welcome = true;
      unserved.connected();
    }
  }

  // The map.

  private void refreshSoon() {
    try {
      taskExecutor.execute(
          () -> {
            if (!refreshDue) {
              refreshDue = true;
              taskExecutor.schedule(this::refresh, SOON_MILLIS, TimeUnit.MILLISECONDS);
            }
          });
    } catch (RejectedExecutionException e) {
      // Closed.
    }
  }

  private void refreshAndAgain() {
    if (closed) {
      return;
    }
    refresh();
    // Nothing works before the first map, so poll faster.
    long period = known ? PERIOD_MILLIS : 5 * SOON_MILLIS;
    long jitter = ThreadLocalRandom.current().nextLong(period / 5);
    taskExecutor.schedule(this::refreshAndAgain, period + jitter, TimeUnit.MILLISECONDS);
  }

  private void refresh() {
    refreshDue = false;
    if (refreshing || closed) {
      return;
    }
    refreshing = true;
    List<RespConnection> up = new ArrayList<>();
    for (Shard shard : shards.values()) {
      RespConnection respConnection = shard.respConnection();
      if (respConnection != null) {
        up.add(respConnection);
      }
    }
    Collections.shuffle(up, ThreadLocalRandom.current());
    Set<Node> others = new HashSet<>(settings.nodes());
    others.addAll(shards.keySet());
    List<Node> scouted = new ArrayList<>(others);
    Collections.shuffle(scouted, ThreadLocalRandom.current());
    fetchMapFromNext(new ArrayDeque<>(up), new ArrayDeque<>(scouted), unknown);
  }

  /** Calls the connected nodes, then all others, until one returns the map. */
  private void fetchMapFromNext(
      Deque<RespConnection> up, Deque<Node> scouted, RedisFailure before) {
    RespConnection respConnection = up.poll();
    CompletionStage<@Nullable Object> slots;
    String server;
    if (respConnection != null) {
      server = respConnection.server();
      slots = redisConnector.executeWithoutClosing(respConnection, "CLUSTER", "SLOTS");
    } else {
      Node node = scouted.poll();
      if (node == null || closed) {
        refreshing = false;
        unknown = before;
        if (!known) {
          unserved.disconnected(before);
        }
        return;
      }
      server = node.toString();
      slots =
          redisConnector
              .dialScout(node)
              .thenCompose(
                  scout ->
                      redisConnector
                          .execute(scout, "CLUSTER", "SLOTS")
                          .whenComplete(
                              (r, e) -> scout.close(new RedisFailure(Kind.DISCONNECTED, "asked"))));
    }
    slots.whenComplete(
        (reply, error) ->
            inTaskExecutor(
                () -> {
                  RedisFailure redisFailure =
                      error == null ? apply(reply, server) : RedisConnector.failure(server, error);
                  if (redisFailure == null) {
                    refreshing = false;
                  } else {
                    fetchMapFromNext(up, scouted, redisFailure);
                  }
                }));
  }

  private void inTaskExecutor(Runnable task) {
    try {
      taskExecutor.execute(task);
    } catch (RejectedExecutionException e) {
      // Closed.
    }
  }

  /** Applies the map; returns what is wrong with it, or null. */
  private @Nullable RedisFailure apply(@Nullable Object reply, String speaker) {
    if (reply instanceof ErrorReply error) {
      RedisFailure said = error.redisFailure();
      String hint =
          said.message().contains("cluster support disabled")
              ? "; it is no cluster, use redis://"
              : "";
      return new RedisFailure(said.kind(), speaker + " says: " + said.message() + hint);
    }
    if (!(reply instanceof List<?> ranges) || ranges.isEmpty()) {
      return new RedisFailure(Kind.CLUSTER_DOWN, speaker + " knows of no slots");
    }
    if (closed) {
      return null;
    }
    @Nullable Shard[] now = owners.clone();
    for (Object each : ranges) {
      if (each instanceof List<?> range
          && range.size() >= 3
          && range.get(0) instanceof Long from
          && range.get(1) instanceof Long to
          && range.get(2) instanceof List<?> primary
          && primary.size() >= 2
          && from >= 0
          && to < ClusterSlot.COUNT) {
        Object host = primary.get(0);
        Node node =
            node(
                host instanceof String text ? text : null, String.valueOf(primary.get(1)), speaker);
        if (node != null) {
          Shard shard = shard(node);
          shard.touch();
          for (int slot = (int) (long) from; slot <= to; slot++) {
            now[slot] = shard;
          }
        }
      }
    }
    Set<@Nullable Shard> before = new HashSet<>();
    Collections.addAll(before, owners);
    Set<@Nullable Shard> used = new HashSet<>();
    Collections.addAll(used, now);
    owners = now;
    known = true;
    for (Shard shard : used) {
      if (shard != null && !before.contains(shard) && shard.respConnection() != null) {
        shard.circuitBreaker().connected(); // only now is there a slot to probe it by
      }
    }
    reached();
    unknown = new RedisFailure(Kind.CLUSTER_DOWN, "no node serves the slot");
    retire(used);
    return null;
  }

  /** Drops nodes that have had no slot and no call for a while. */
  private void retire(Set<@Nullable Shard> used) {
    shards
        .values()
        .removeIf(
            shard -> {
              boolean idle = !used.contains(shard) && shard.isIdleFor(IDLE_NANOS);
              if (idle) {
                shard.close();
                breakers.remove(shard.circuitBreaker());
              }
              return idle;
            });
  }

  @Override
  public void close() {
    inTaskExecutor(() -> closed = true);
    shards.values().forEach(Shard::close);
    redisConnector.close();
  }
}
