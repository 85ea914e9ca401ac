package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.Buckets;
import io.weir.Decision;
import io.weir.Store;
import io.weir.TimeSource;
import io.weir.redis.rig.RespSocket;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;

/**
 * The scripts and nothing else, on connections by hand: no near cache, no gate, no client library.
 * What fails here is wrong in the scripts, or in what is made of their replies.
 */
final class BareStore implements Store {
  private final int port;
  private final TimeSource time;
  private final ConcurrentMap<Script, String> loaded = new ConcurrentHashMap<>();
  private final Queue<RespSocket> idle = new ConcurrentLinkedQueue<>();

  BareStore(int port, TimeSource time) {
    this.port = port;
    this.time = time;
  }

  @Override
  public Buckets open(Blueprint blueprint) {
    return new BareBuckets(blueprint);
  }

  @Override
  public void close() {
    idle.forEach(RespSocket::close);
  }

  private long[] call(Message message, byte[][] keys) {
    RespSocket connection = idle.poll();
    if (connection == null) {
      connection = new RespSocket(port);
    }
    byte[][] command = new byte[3 + keys.length + message.args().length][];
    command[0] = "EVALSHA".getBytes(US_ASCII);
    command[1] = digest(connection, message.script());
    command[2] = Integer.toString(keys.length).getBytes(US_ASCII);
    System.arraycopy(keys, 0, command, 3, keys.length);
    System.arraycopy(message.args(), 0, command, 3 + keys.length, message.args().length);
    List<?> reply = (List<?>) connection.call(command);
    idle.add(connection);
    return reply.stream().mapToLong(number -> (Long) number).toArray();
  }

  private byte[] digest(RespSocket connection, Script script) {
    return loaded
        .computeIfAbsent(
            script,
            unknown -> {
              Object digest =
                  connection.call(
                      "SCRIPT".getBytes(US_ASCII), "LOAD".getBytes(US_ASCII), script.text());
              return new String((byte[]) digest, US_ASCII);
            })
        .getBytes(US_ASCII);
  }

  private final class BareBuckets implements Buckets {
    private final String name;
    private volatile Plan plan;

    BareBuckets(Blueprint blueprint) {
      name = blueprint.name();
      plan = Plan.of("bare", name, blueprint.limits());
    }

    private long micros() {
      return Math.floorDiv(time.epochNanos(), 1000);
    }

    private Outcome outcome(Plan plan, Message message, String key, long cost) {
      return plan.outcome(cost, 1, call(message, plan.keys(key)));
    }

    private BareReceipt receipt(Outcome outcome, String key, long cost) {
      return new BareReceipt(outcome.decision(0), key, cost, outcome.marks(0));
    }

    @Override
    public Decision peek(String key, long cost) {
      Plan now = plan;
      return outcome(now, now.peek(cost, micros()), key, cost).decision(0);
    }

    @Override
    public Receipt take(String key, long cost) {
      Plan now = plan;
      return receipt(outcome(now, now.take(cost, 1, micros()), key, cost), key, cost);
    }

    @Override
    public Receipt reserve(String key, long cost, Duration longestWait) {
      Plan now = plan;
      Message message = now.reserve(cost, longestWait.toNanos(), micros());
      return receipt(outcome(now, message, key, cost), key, cost);
    }

    @Override
    public void settle(Receipt receipt, long actualCost) {
      Plan now = plan;
      BareReceipt bare = (BareReceipt) receipt;
      boolean isLess = actualCost < bare.cost() && bare.marks().plan() == now;
      if (bare.decision().allowed() && (actualCost > bare.cost() || isLess)) {
        call(now.settle(bare.marks(), bare.cost(), actualCost, micros()), now.keys(bare.key()));
      }
    }

    @Override
    public void reject(String key, long cost) {
      Plan now = plan;
      call(now.reject(cost, micros()), now.keys(key));
    }

    @Override
    public void refund(String key, long permits) {
      Plan now = plan;
      call(now.refund(permits, micros()), now.keys(key));
    }

    @Override
    public void reset(String key) {
      call(plan.reset(), plan.keys(key));
    }

    @Override
    public Runnable reconfigure(Blueprint blueprint) {
      plan = Plan.of("bare", name, blueprint.limits());
      return () -> {};
    }

    @Override
    public boolean isRemote() {
      return true;
    }

    @Override
    public long keys() {
      return 0;
    }

    @Override
    public long overflowed() {
      return 0;
    }
  }

  private record BareReceipt(Decision decision, String key, long cost, Marks marks)
      implements Buckets.Receipt {}
}
