package io.weir.chaos;

import java.util.List;

/** All processes on 127.0.0.1, where no connection can be cut. */
final class LoopbackNetwork implements ClusterNetwork {
  @Override
  public Peer join(String name) {
    return new Peer(name, "127.0.0.1", List.of());
  }

  @Override
  public boolean canBeCut() {
    return false;
  }

  @Override
  public void cut(Peer from, Peer to) {
    throw new UnsupportedOperationException("the loopback interface cannot be cut");
  }

  @Override
  public void heal() {}

  @Override
  public void close() {}

  @Override
  public String toString() {
    return "loopback, nothing can be cut";
  }
}
