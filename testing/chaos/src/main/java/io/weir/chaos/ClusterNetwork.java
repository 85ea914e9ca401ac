package io.weir.chaos;

/** How processes reach each other, and which faults can be injected there. */
interface ClusterNetwork extends AutoCloseable {
  /** Adds a peer that reaches all others. */
  Peer join(String name);

  /** Whether paths can be cut at all. */
  boolean canBeCut();

  /** From now on everything that {@code from} sends to {@code to} is lost silently. */
  void cut(Peer from, Peer to);

  /** Restores all paths. */
  void heal();

  @Override
  void close();

  /** Cuts both directions. */
  default void split(Peer one, Peer other) {
    cut(one, other);
    cut(other, one);
  }

  /**
   * Network namespaces if this process may create them; otherwise the loopback interface, without
   * cuts.
   */
  static ClusterNetwork best() {
    return NamespaceNetwork.open().<ClusterNetwork>map(it -> it).orElseGet(LoopbackNetwork::new);
  }
}
