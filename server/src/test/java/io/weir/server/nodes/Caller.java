package io.weir.server.nodes;

/** A client of one node, for {@code kind} and {@code user}. */
interface Caller extends AutoCloseable {
  NodeResponse check(String kind, String user);

  @Override
  void close();

  /** The outcome of a check. */
  enum Outcome {
    ALLOWED,
    REFUSED,
    /** The node reports that its store is unavailable, and leaves the decision to the caller. */
    UNAVAILABLE,
    /** Must never happen: another status, a broken connection, no response. */
    BROKEN
  }

  /**
   * The result of a check.
   *
   * @param byFailure whether the node reports that it could not count
   * @param retryAfter the {@code Retry-After} for the client; empty if there is none
   * @param text the rest of the response
   */
  record NodeResponse(Outcome outcome, boolean byFailure, String retryAfter, String text) {
    /** No valid response arrived. */
    static NodeResponse broken(Exception e) {
      return new NodeResponse(Outcome.BROKEN, false, "", e.toString());
    }
  }
}
