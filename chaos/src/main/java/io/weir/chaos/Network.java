package io.weir.chaos;

/** How processes reach each other, and what can be done about it. */
interface Network extends AutoCloseable {
  /** A new place in it, which reaches all others. */
  Peer join(String name);

  /** Whether it can be cut at all. */
  boolean canBeCut();

  /** From now on whatever {@code from} sends to {@code to} is lost, silently. */
  void cut(Peer from, Peer to);

  /** Everybody reaches everybody again. */
  void heal();

  @Override
  void close();

  /** Cuts both ways. */
  default void split(Peer one, Peer other) {
    cut(one, other);
    cut(other, one);
  }

  /** Network namespaces if we may make some; otherwise the loopback interface, which is whole. */
  static Network best() {
    return Namespaces.open().<Network>map(it -> it).orElseGet(Loopback::new);
  }
}
