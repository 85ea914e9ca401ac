package io.weir.server.nodes;

/** A client of one node, for {@code kind} and {@code user}. */
interface Caller extends AutoCloseable {
  Heard ask(String kind, String user);

  @Override
  void close();

  /** What became of a question. */
  enum Outcome {
    ALLOWED,
    REFUSED,
    /** The node says that its store cannot be asked, and leaves it to us. */
    UNAVAILABLE,
    /** What should never be: another status, a broken connection, no answer. */
    BROKEN
  }

  /**
   * An answer.
   *
   * @param byFailure whether the node says that it could not count
   * @param retryAfter the {@code Retry-After} for the client; empty if there is none
   * @param text what else was said
   */
  record Heard(Outcome outcome, boolean byFailure, String retryAfter, String text) {
    /** No valid response arrived. */
    static Heard broken(Exception e) {
      return new Heard(Outcome.BROKEN, false, "", e.toString());
    }
  }
}
