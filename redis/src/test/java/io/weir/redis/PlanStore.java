package io.weir.redis;

import io.weir.Buckets;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.Store;
import io.weir.TimeSource;
import io.weir.rig.RespSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The plainest store that can be made of {@link Plan}: one call after the other, and no cache.
 *
 * <p>Time is the blueprint's, given to the scripts with every call.
 */
final class PlanStore implements Store {
  private final RespSocket redis;

  PlanStore(RespSocket redis) {
    this.redis = redis;
  }

  /** Sends {@code message} on {@code keys}, with the script if Redis does not know it. */
  static long[] send(RespSocket redis, byte[][] keys, Message message) {
    try {
      return send(redis, "EVALSHA", message.script().digest(), keys, message.args());
    } catch (RespSocket.RedisError e) {
      if (!e.getMessage().startsWith("NOSCRIPT")) {
        throw e;
      }
      return send(redis, "EVAL", message.script().text(), keys, message.args());
    }
  }

  private static long[] send(
      RespSocket redis, String how, byte[] script, byte[][] keys, byte[][] args) {
    List<byte[]> command = new ArrayList<>();
    command.add(how.getBytes(StandardCharsets.US_ASCII));
    command.add(script);
    command.add(Integer.toString(keys.length).getBytes(StandardCharsets.US_ASCII));
    command.addAll(List.of(keys));
    command.addAll(List.of(args));
    List<?> reply = (List<?>) redis.call(command.toArray(byte[][]::new));
    return reply.stream().mapToLong(number -> (Long) number).toArray();
  }

  @Override
  public Buckets open(Blueprint blueprint) {
    return new PlanBuckets(blueprint);
  }

  @Override
  public void close() {
    redis.close();
  }

  private final class PlanBuckets implements Buckets {
    private final String name;
    private final TimeSource time;
    private Plan plan;

    PlanBuckets(Blueprint blueprint) {
      name = blueprint.name();
      time = blueprint.time();
      plan = Plan.of("test", name, blueprint.limits());
    }

    private long micros() {
      return Math.floorDiv(time.epochNanos(), 1000L);
    }

    private long[] send(String key, Message message) {
      return PlanStore.send(redis, plan.keys(key), message);
    }

    @Override
    public synchronized Decision peek(String key, long cost) {
      return plan.outcome(cost, send(key, plan.peek(cost, micros()))).decision(0);
    }

    @Override
    public synchronized Receipt take(String key, long cost) {
      return receipt(key, cost, send(key, plan.take(cost, 1, micros())));
    }

    @Override
    public synchronized Receipt reserve(String key, long cost, Duration longestWait) {
      long longest =
          longestWait.compareTo(Limit.MAX_PERIOD) < 0
              ? longestWait.toNanos()
              : Limit.MAX_PERIOD.toNanos();
      return receipt(key, cost, send(key, plan.reserve(cost, longest, micros())));
    }

    private Receipt receipt(String key, long cost, long[] reply) {
      Outcome outcome = plan.outcome(cost, reply);
      return new PlanReceipt(key, outcome.decision(0), outcome.marks(0));
    }

    @Override
    public synchronized void settle(Receipt receipt, long actualCost) {
      PlanReceipt ours = (PlanReceipt) receipt;
      long cost = ours.decision.cost();
      if (ours.decision.allowed() && cost != actualCost) {
        send(ours.key, plan.settle(ours.marks, cost, actualCost, micros()));
      }
    }

    @Override
    public synchronized void reject(String key, long cost) {
      send(key, plan.reject(cost, micros()));
    }

    @Override
    public synchronized void refund(String key, long permits) {
      send(key, plan.refund(permits, micros()));
    }

    @Override
    public synchronized void reset(String key) {
      send(key, plan.reset());
    }

    @Override
    public synchronized Runnable reconfigure(Blueprint blueprint) {
      plan = Plan.of("test", name, blueprint.limits());
      return () -> {};
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

  private record PlanReceipt(String key, Decision decision, Marks marks)
      implements Buckets.Receipt {}
}
