package io.weir.chaos;

/** A node has answered, and with no decision: whatever happens, there has to be one. */
final class NodeError extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NodeError(String message) {
    super(message);
  }
}
