package io.weir.redis;

import io.netty.util.concurrent.EventExecutor;
import io.weir.redis.Failure.Kind;
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
final class ClusterLink implements Link, Shard.Neighbours {
  private static final long PERIOD_MILLIS = 2000;
  private static final long SOON_MILLIS = 100;
  private static final long AGAIN_MILLIS = 2;
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final int MAX_HOPS = 5;

  private final RedisSettings settings;
  private final Dialer dialer;
  private final EventExecutor clerk;
  private final Gate.Factory gates;
  private final Map<Node, Shard> shards = new ConcurrentHashMap<>();

  /** For slots without a node. */
  private final Gate nobody;

  private volatile @Nullable Shard[] owners = new @Nullable Shard[Slot.COUNT];
  private volatile Failure unknown;

  // From here on: only used by the clerk thread.
  private boolean refreshing;
  private boolean refreshDue;
  private boolean known;
  private boolean welcome;
  private boolean closed;

  ClusterLink(RedisSettings settings, Dialer dialer, Gate.Factory gates) {
    this.settings = settings;
    this.dialer = dialer;
    this.clerk = dialer.clerk();
    this.gates = gates;
    this.nobody = gates.create("cluster", () -> probed(0));
    this.unknown =
        new Failure(Kind.DISCONNECTED, "not yet connected to the cluster at " + settings.nodes());
    clerk.execute(this::refreshAndAgain);
  }

  @Override
  public void send(Call call) {
    Shard shard = owners[Slot.of(call.keys()[0])];
    if (shard == null) {
      call.fail(unknown);
    } else {
      shard.send(call);
    }
  }

  @Override
  public Gate gate(byte[] key) {
    Shard shard = owners[Slot.of(key)];
    return shard == null ? nobody : shard.gate();
  }

  @Override
  public boolean isThisThread() {
    return dialer.isThisThread();
  }

  @Override
  public void suspect(byte[] key) {
    Shard shard = owners[Slot.of(key)];
    if (shard != null) {
      shard.suspect();
    }
    refreshSoon();
  }

  // Redirections.

  @Override
  public boolean take(Wire wire, Call call, ErrorReply error) {
    if (error.is("MOVED")) {
      refreshSoon();
      return follow(wire, call, error, false);
    }
    if (error.is("ASK")) {
      return follow(wire, call, error, true);
    }
    if (error.is("TRYAGAIN")) {
      // Its keys are moving from one node to another: no node has all of them until the last has
      // moved. Retry until the deadline, after which the call has ended.
      if (!Again.isInVain(call)) {
        clerk.schedule(() -> send(Again.fromStart(call)), AGAIN_MILLIS, TimeUnit.MILLISECONDS);
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
  private boolean follow(Wire wire, Call call, ErrorReply error, boolean asking) {
    String[] words = error.text().split(" ", -1);
    Node node = words.length < 3 ? null : address(words[2], wire.server());
    if (node == null || Again.hops(call) >= MAX_HOPS) {
      return false;
    }
    shard(node).sendWhenUp(Again.elsewhere(call), asking);
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
                  gates.create(at.toString(), () -> probed(at)),
                  clerk,
                  settings.connections(),
                  () -> dialer.dial(at),
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
    return (settings.prefix() + ":probe:{" + Slot.tag(slot) + "}").getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void lost(Failure why) {
    if (!welcome) {
      nobody.disconnected(why);
    }
    refreshSoon();
  }

  /** The gate of unserved slots is probed in the first slot, as soon as its shard is reachable. */
  @Override
  public void reached() {
    Shard first = owners[0];
    if (!welcome && first != null && first.wire() != null) {
      welcome = true;
      nobody.connected();
    }
  }

  // The map.

  private void refreshSoon() {
    try {
      clerk.execute(
          () -> {
            if (!refreshDue) {
              refreshDue = true;
              clerk.schedule(this::refresh, SOON_MILLIS, TimeUnit.MILLISECONDS);
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
    clerk.schedule(this::refreshAndAgain, period + jitter, TimeUnit.MILLISECONDS);
  }

  private void refresh() {
    refreshDue = false;
    if (refreshing || closed) {
      return;
    }
    refreshing = true;
    List<Wire> up = new ArrayList<>();
    for (Shard shard : shards.values()) {
      Wire wire = shard.wire();
      if (wire != null) {
        up.add(wire);
      }
    }
    Collections.shuffle(up, ThreadLocalRandom.current());
    Set<Node> others = new HashSet<>(settings.nodes());
    others.addAll(shards.keySet());
    List<Node> scouted = new ArrayList<>(others);
    Collections.shuffle(scouted, ThreadLocalRandom.current());
    askNext(new ArrayDeque<>(up), new ArrayDeque<>(scouted), unknown);
  }

  /** Asks the connected nodes, then all others, until one returns the map. */
  private void askNext(Deque<Wire> up, Deque<Node> scouted, Failure before) {
    Wire wire = up.poll();
    CompletionStage<@Nullable Object> asked;
    String whom;
    if (wire != null) {
      whom = wire.server();
      asked = dialer.askPatiently(wire, "CLUSTER", "SLOTS");
    } else {
      Node node = scouted.poll();
      if (node == null || closed) {
        refreshing = false;
        unknown = before;
        if (!known) {
          nobody.disconnected(before);
        }
        return;
      }
      whom = node.toString();
      asked =
          dialer
              .dialScout(node)
              .thenCompose(
                  scout ->
                      dialer
                          .ask(scout, "CLUSTER", "SLOTS")
                          .whenComplete(
                              (r, e) -> scout.close(new Failure(Kind.DISCONNECTED, "asked"))));
    }
    asked.whenComplete(
        (reply, error) ->
            inClerk(
                () -> {
                  Failure failure =
                      error == null ? apply(reply, whom) : Dialer.failure(whom, error);
                  if (failure == null) {
                    refreshing = false;
                  } else {
                    askNext(up, scouted, failure);
                  }
                }));
  }

  private void inClerk(Runnable task) {
    try {
      clerk.execute(task);
    } catch (RejectedExecutionException e) {
      // Closed.
    }
  }

  /** Applies the map; returns what is wrong with it, or null. */
  private @Nullable Failure apply(@Nullable Object reply, String speaker) {
    if (reply instanceof ErrorReply error) {
      Failure said = error.failure();
      String hint =
          said.message().contains("cluster support disabled")
              ? "; it is no cluster, use redis://"
              : "";
      return new Failure(said.kind(), speaker + " says: " + said.message() + hint);
    }
    if (!(reply instanceof List<?> ranges) || ranges.isEmpty()) {
      return new Failure(Kind.CLUSTER_DOWN, speaker + " knows of no slots");
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
          && to < Slot.COUNT) {
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
      if (shard != null && !before.contains(shard) && shard.wire() != null) {
        shard.gate().connected(); // only now is there a slot to probe it by
      }
    }
    reached();
    unknown = new Failure(Kind.CLUSTER_DOWN, "no node serves the slot");
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
                gates.remove(shard.gate());
              }
              return idle;
            });
  }

  @Override
  public void close() {
    inClerk(() -> closed = true);
    shards.values().forEach(Shard::close);
    dialer.close();
  }
}
