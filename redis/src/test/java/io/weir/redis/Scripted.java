package io.weir.redis;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.rig.RedisProcess;
import io.weir.rig.RespSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The buckets of one key under some limits, asked by hand at given milliseconds. */
final class Scripted implements AutoCloseable {
  /** How much longer a bucket lives where the time is not the server's. */
  static final long LINGER = 3_600_000;

  private static final String KEY = "key";

  private final RespSocket redis;
  private final Plan plan;
  private final byte[][] keys;

  Scripted(RedisProcess process, Limit... limits) {
    this(process, Plan.of("test", "scripted", List.of(limits)));
  }

  Scripted(RedisProcess process, Plan plan) {
    redis = process.connect();
    this.plan = plan;
    keys = plan.keys(KEY);
  }

  Plan plan() {
    return plan;
  }

  byte[] name(int limit) {
    return keys[limit];
  }

  long[] send(Message message) {
    return PlanStore.send(redis, keys, message);
  }

  Outcome take(long millis, long cost, int times) {
    return plan.outcome(cost, send(plan.take(cost, times, millis * 1000)));
  }

  Decision take(long millis, long cost) {
    return take(millis, cost, 1).decision(0);
  }

  Decision peek(long millis, long cost) {
    return plan.outcome(cost, send(plan.peek(cost, millis * 1000))).decision(0);
  }

  Outcome reserve(long millis, long cost, long longestMillis) {
    Message message = plan.reserve(cost, longestMillis * 1_000_000, millis * 1000);
    return plan.outcome(cost, send(message));
  }

  byte[] value() {
    return (byte[]) call("GET");
  }

  void value(byte[] value) {
    redis.call("SET".getBytes(StandardCharsets.US_ASCII), keys[0], value);
  }

  /** In milliseconds; negative if there is no bucket. */
  long ttl() {
    return (Long) call("PTTL");
  }

  private Object call(String command) {
    return redis.call(command.getBytes(StandardCharsets.US_ASCII), keys[0]);
  }

  @Override
  public void close() {
    redis.close();
  }
}
