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
 * The plainest store that can be made of {@link ScriptPlan}: one call after the other, and no
 * cache.
 *
 * <p>Time is the blueprint's, given to the scripts with every call.
 */
final class ScriptPlanStore implements Store {
  private final RespSocket redis;

  ScriptPlanStore(RespSocket redis) {
    this.redis = redis;
  }

  /** Sends {@code message} on {@code keys}, with the script if Redis does not know it. */
  static long[] send(RespSocket redis, byte[][] keys, ScriptMessage scriptMessage) {
    try {
      return send(redis, "EVALSHA", scriptMessage.script().digest(), keys, scriptMessage.args());
    } catch (RespSocket.RedisError e) {
      if (!e.getMessage().startsWith("NOSCRIPT")) {
        throw e;
      }
      return send(redis, "EVAL", scriptMessage.script().text(), keys, scriptMessage.args());
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
  public Buckets open(LimiterSpec limiterSpec) {
    return new PlanBuckets(limiterSpec);
  }

  @Override
  public void close() {
    redis.close();
  }

  private final class PlanBuckets implements Buckets {
    private final String name;
    private final TimeSource time;
    private ScriptPlan scriptPlan;

    PlanBuckets(LimiterSpec limiterSpec) {
      name = limiterSpec.name();
      time = limiterSpec.time();
      scriptPlan = ScriptPlan.of("test", name, limiterSpec.limits());
    }

    private long micros() {
      return Math.floorDiv(time.epochNanos(), 1000L);
    }

    private long[] send(String key, ScriptMessage scriptMessage) {
      return ScriptPlanStore.send(redis, scriptPlan.keys(key), scriptMessage);
    }

    @Override
    public synchronized Decision peek(String key, long cost) {
      return scriptPlan.outcome(cost, send(key, scriptPlan.peek(cost, micros()))).decision(0);
    }

    @Override
    public synchronized Receipt take(String key, long cost) {
      return receipt(key, cost, send(key, scriptPlan.take(cost, 1, micros())));
    }

    @Override
    public synchronized Receipt reserve(String key, long cost, Duration longestWait) {
      long maxWaitNanos =
          longestWait.compareTo(Limit.MAX_PERIOD) < 0
              ? longestWait.toNanos()
              : Limit.MAX_PERIOD.toNanos();
      return receipt(key, cost, send(key, scriptPlan.reserve(cost, maxWaitNanos, micros())));
    }

    private Receipt receipt(String key, long cost, long[] reply) {
      TakeReply takeReply = scriptPlan.outcome(cost, reply);
      return new PlanReceipt(key, takeReply.decision(0), takeReply.marks(0));
    }

    @Override
    public synchronized void settle(Receipt receipt, long actualCost) {
      PlanReceipt ours = (PlanReceipt) receipt;
      long cost = ours.decision.cost();
      if (ours.decision.allowed() && cost != actualCost) {
        send(ours.key, scriptPlan.settle(ours.chargeMarks, cost, actualCost, micros()));
      }
    }

    @Override
    public synchronized void reject(String key, long cost) {
      send(key, scriptPlan.reject(cost, micros()));
    }

    @Override
    public synchronized void refund(String key, long permits) {
      send(key, scriptPlan.refund(permits, micros()));
    }

    @Override
    public synchronized void reset(String key) {
      send(key, scriptPlan.reset());
    }

    @Override
    public synchronized Runnable reconfigure(LimiterSpec limiterSpec) {
      scriptPlan = ScriptPlan.of("test", name, limiterSpec.limits());
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

  private record PlanReceipt(String key, Decision decision, ChargeMarks chargeMarks)
      implements Buckets.Receipt {}
}
