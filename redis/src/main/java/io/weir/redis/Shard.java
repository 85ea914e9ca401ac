package io.weir.redis;

import io.netty.util.concurrent.EventExecutor;
import io.weir.redis.Failure.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One primary: its gate and its connections.
 *
 * <p>With several connections a key stays on one of them, and uses another only while its own is
 * down. The gate learns of the first that comes up and of the last that goes down.
 */
final class Shard implements Line.Owner {
  /** The other shards, if there are any. */
  interface Neighbours {
    /** Whether {@code call}, which this shard has rejected, is handled elsewhere. */
    boolean take(Wire wire, Call call, ErrorReply error);

    /** This shard is reachable. */
    default void reached() {}

    /** This shard is unreachable. */
    default void lost(Failure why) {}
  }

  /** A call that waits for the first connection. */
  private record Held(Call call, boolean asking) {}

  private static final int MAX_HELD = 1024;

  private final String name;
  private final Gate gate;
  private final Neighbours neighbours;
  private final EventExecutor clerk;
  private final List<Line> lines = new ArrayList<>();
  private final Line first;
  private volatile long usedAt = System.nanoTime();

  // Only used by the clerk thread.
  private final Deque<Held> held = new ArrayDeque<>();
  private boolean hasFailed;

  Shard(
      String name,
      Gate gate,
      EventExecutor clerk,
      int connections,
      Supplier<CompletionStage<Wire>> dial,
      Neighbours neighbours) {
    this.name = name;
    this.gate = gate;
    this.clerk = clerk;
    this.neighbours = neighbours;
    for (int i = 0; i < connections; i++) {
      lines.add(new Line(clerk, name, dial, this));
    }
    this.first = lines.get(0);
  }

  void open() {
    lines.forEach(Line::open);
  }

  String name() {
    return name;
  }

  Gate gate() {
    return gate;
  }

  void send(Call call) {
    Wire wire = wire(call.keys()[0]);
    if (wire == null) {
      call.fail(first.down());
    } else {
      wire.send(call);
    }
  }

  /** A connection for {@code key}, or any that is up; null if none is. */
  @Nullable Wire wire(byte[] key) {
    if (lines.size() == 1) {
      return first.wire();
    }
    int start = Math.floorMod(Arrays.hashCode(key), lines.size());
    for (int i = 0; i < lines.size(); i++) {
      Wire wire = lines.get((start + i) % lines.size()).wire();
      if (wire != null) {
        return wire;
      }
    }
    return null;
  }

  /** The connections that are up. */
  List<Wire> wires() {
    return lines.stream().map(Line::wire).filter(Objects::nonNull).toList();
  }

  /** Any connection that is up; null if none is. */
  @Nullable Wire wire() {
    return wire(new byte[0]);
  }

  /**
   * Sends a call that another node has redirected here. A new node may not be connected yet: its
   * first calls wait for the connection, or until their deadline.
   */
  void sendWhenUp(Call call, boolean asking) {
    usedAt = System.nanoTime();
    Wire wire = wire(call.keys()[0]);
    if (wire != null) {
      send(wire, call, asking);
      return;
    }
    clerk.execute(
        () -> {
          Wire now = wire(call.keys()[0]);
          if (now != null) {
            send(now, call, asking);
          } else if (hasFailed || held.size() >= MAX_HELD) {
            call.fail(first.down());
          } else {
            held.add(new Held(call, asking));
          }
        });
  }

  private static void send(Wire wire, Call call, boolean asking) {
    if (asking) {
      wire.sendAsking(call);
    } else {
      wire.send(call);
    }
  }

  /** It has slots. */
  void touch() {
    usedAt = System.nanoTime();
  }

  /** Whether it has had no slot, and no call from another node, for that long. */
  boolean isIdleFor(long nanos) {
    return System.nanoTime() - usedAt > nanos;
  }

  void suspect() {
    replace(new Failure(Kind.TIMEOUT, name + " has not answered for long"));
  }

  void replace(Failure why) {
    lines.forEach(line -> line.replace(why));
  }

  /** Drops connections to servers other than {@code server}. */
  void leaveAllBut(String server, Failure why) {
    for (Line line : lines) {
      Wire wire = line.wire();
      if (wire != null && !wire.server().equals(server)) {
        line.replace(why);
      }
    }
  }

  void close() {
    lines.forEach(Line::close);
  }

  @Override
  public void up(Line line) {
    hasFailed = false;
    if (lines.stream().filter(Line::isUp).count() == 1) {
      gate.connected();
    }
    for (Held next = held.poll(); next != null; next = held.poll()) {
      sendWhenUp(next.call, next.asking);
    }
    neighbours.reached();
  }

  @Override
  public void down(Line line, Failure why) {
    if (lines.stream().noneMatch(Line::isUp)) {
      hasFailed = true;
      gate.disconnected(why);
      for (Held next = held.poll(); next != null; next = held.poll()) {
        next.call.fail(why);
      }
      neighbours.lost(why);
    }
  }

  @Override
  public boolean detour(Wire wire, Call call, ErrorReply error) {
    Failure failure = error.failure();
    if (failure.kind() == Kind.READ_ONLY) {
      // Another server is the primary now: the next dial looks it up.
      call.fail(failure);
      replace(failure);
      return true;
    }
    return neighbours.take(wire, call, error);
  }
}
