package io.weir.redis;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A breaker that lets all calls pass and records its events. */
final class RecordingBreaker implements CircuitBreaker {
  final String name;
  final List<RedisFailure> lost = new CopyOnWriteArrayList<>();
  private volatile int connections;
  private volatile boolean up;

  RecordingBreaker(String name) {
    this.name = name;
  }

  int connections() {
    return connections;
  }

  boolean isUp() {
    return up;
  }

  RedisFailure lastLost() {
    return lost.get(lost.size() - 1);
  }

  @Override
  public RedisFailure obstacle() {
    return null;
  }

  @Override
  public synchronized void connected() {
    up = true;
    connections++;
  }

  @Override
  public synchronized void disconnected(RedisFailure redisFailure) {
    up = false;
    lost.add(redisFailure);
  }

  @Override
  public void succeeded() {}

  @Override
  public void failed(RedisFailure redisFailure) {}
}
