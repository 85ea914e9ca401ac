package io.weir.redis;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A gate that is always open and remembers what it was told. */
final class RecordingGate implements Gate {
  final String name;
  final List<Failure> lost = new CopyOnWriteArrayList<>();
  private volatile int connections;
  private volatile boolean up;

  RecordingGate(String name) {
    this.name = name;
  }

  int connections() {
    return connections;
  }

  boolean isUp() {
    return up;
  }

  Failure lastLost() {
    return lost.get(lost.size() - 1);
  }

  @Override
  public Failure obstacle() {
    return null;
  }

  @Override
  public synchronized void connected() {
    up = true;
    connections++;
  }

  @Override
  public synchronized void disconnected(Failure failure) {
    up = false;
    lost.add(failure);
  }

  @Override
  public void succeeded() {}

  @Override
  public void failed(Failure failure) {}
}
