package io.weir.redis;

import java.util.ArrayList;
import java.util.List;

/** A gate that is open, or shut by what a test says, and remembers what it is told. */
final class SwitchableBreaker implements CircuitBreaker {
  final List<String> told = new ArrayList<>();
  RedisFailure obstacle;

  @Override
  public RedisFailure obstacle() {
    return obstacle;
  }

  @Override
  public void connected() {
    told.add("connected");
  }

  @Override
  public void disconnected(RedisFailure redisFailure) {
    told.add("disconnected " + redisFailure);
  }

  @Override
  public void succeeded() {
    told.add("succeeded");
  }

  @Override
  public void failed(RedisFailure redisFailure) {
    told.add("failed " + redisFailure);
  }
}
