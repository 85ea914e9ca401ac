package io.weir.chaos;

/** A node replied without a decision, which is always a bug. */
final class NodeError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NodeError(String message) {
    super(message);
  }
}
