package io.weir.redis;

import io.weir.redis.Failure.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One primary: its gate and the lines to it.
 *
 * <p>With several lines a key stays on one of them, and goes over to another only while its own is
 * down. The gate hears of the first that comes up and of the last that goes down.
 */
final class Shard implements Line.Owner {
  /** What a shard does with a call that a node sends elsewhere: nothing, unless in a cluster. */
  interface Detour {
    Detour NONE = (wire, call, error) -> false;

    boolean take(Wire wire, Call call, ErrorReply error);
  }

  private final String name;
  private final Gate gate;
  private final Detour detour;
  private final List<Line> lines = new ArrayList<>();
  private final Line first;

  Shard(
      String name,
      Gate gate,
      Dialer dialer,
      int connections,
      Supplier<CompletionStage<Wire>> dial,
      Detour detour) {
    this.name = name;
    this.gate = gate;
    this.detour = detour;
    for (int i = 0; i < connections; i++) {
      lines.add(new Line(dialer.clerk(), name, dial, this));
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

  /** A connection for {@code key}, or any that is up. */
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

  void suspect() {
    replace(new Failure(Kind.TIMEOUT, name + " has not answered for long"));
  }

  void replace(Failure why) {
    lines.forEach(line -> line.replace(why));
  }

  void close() {
    lines.forEach(Line::close);
  }

  @Override
  public void up(Line line) {
    if (lines.stream().filter(Line::isUp).count() == 1) {
      gate.connected();
    }
  }

  @Override
  public void down(Line line, Failure why) {
    if (lines.stream().noneMatch(Line::isUp)) {
      gate.disconnected(why);
    }
  }

  @Override
  public boolean detour(Wire wire, Call call, ErrorReply error) {
    if (error.failure().kind() == Kind.READ_ONLY) {
      // Somebody else is the primary now: whoever dials next asks who.
      call.fail(error.failure());
      replace(error.failure());
      return true;
    }
    return detour.take(wire, call, error);
  }
}
