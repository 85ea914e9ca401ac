package io.weir.redis;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.rig.RedisProcess;
import io.weir.rig.RespSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The buckets of one key under some limits, called at given milliseconds. */
final class ScriptedBuckets implements AutoCloseable {
  /** How much longer a bucket lives where the time is not the server's. */
  static final long LINGER = 3_600_000;

  private static final String KEY = "key";

  private final RespSocket redis;
  private final ScriptPlan scriptPlan;
  private final byte[][] keys;

  ScriptedBuckets(RedisProcess process, Limit... limits) {
    this(process, ScriptPlan.of("test", "scripted", List.of(limits)));
  }

  ScriptedBuckets(RedisProcess process, ScriptPlan scriptPlan) {
    redis = process.connect();
    this.scriptPlan = scriptPlan;
    keys = scriptPlan.keys(KEY);
  }

  ScriptPlan scriptPlan() {
    return scriptPlan;
  }

  byte[] name(int limit) {
    return keys[limit];
  }

  long[] send(ScriptMessage scriptMessage) {
    return ScriptPlanStore.send(redis, keys, scriptMessage);
  }

  TakeReply take(long millis, long cost, int times) {
    return scriptPlan.outcome(cost, send(scriptPlan.take(cost, times, millis * 1000)));
  }

  Decision take(long millis, long cost) {
    return take(millis, cost, 1).decision(0);
  }

  Decision peek(long millis, long cost) {
    return scriptPlan.outcome(cost, send(scriptPlan.peek(cost, millis * 1000))).decision(0);
  }

  TakeReply reserve(long millis, long cost, long maxWaitMillis) {
    ScriptMessage scriptMessage =
        scriptPlan.reserve(cost, maxWaitMillis * 1_000_000, millis * 1000);
    return scriptPlan.outcome(cost, send(scriptMessage));
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
