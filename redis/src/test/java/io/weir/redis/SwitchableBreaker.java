package io.weir.redis;

import java.util.ArrayList;
import java.util.List;

/** A breaker that a test opens and closes, and that records its events. */
final class SwitchableBreaker implements CircuitBreaker {
  final List<String> events = new ArrayList<>();
  RedisFailure obstacle;

  @Override
  public RedisFailure obstacle() {
    return obstacle;
  }

  @Override
  public void connected() {
    events.add("connected");
  }

  @Override
  public void disconnected(RedisFailure redisFailure) {
    events.add("disconnected " + redisFailure);
  }

  @Override
  public void succeeded() {
    events.add("succeeded");
  }

  @Override
  public void failed(RedisFailure redisFailure) {
    events.add("failed " + redisFailure);
  }
}
