package io.weir.redis;

/**
 * Why Redis did not decide.
 *
 * @param kind what it means for us
 * @param message what Redis, or the client, said
 */
record Failure(Kind kind, String message) {
  /** What a failure means. */
  enum Kind {
    /** No answer in time. */
    TIMEOUT,
    /** There is no connection. */
    DISCONNECTED,
    /** It is a replica: somebody else is the primary now. */
    READ_ONLY,
    /** It still reads its data, or cannot reach its primary. */
    LOADING,
    /** A script of somebody else keeps it busy. */
    BUSY,
    /** It has no memory left to write. */
    OUT_OF_MEMORY,
    /** It does not let us: password, user or permissions. */
    FORBIDDEN,
    /** The cluster has no node for the key. */
    CLUSTER_DOWN,
    /** The bucket was written by a release of Weir that is too new for this one. */
    NEWER_FORMAT,
    /** Under the bucket's key there is something that no release of Weir has written. */
    FOREIGN,
    /** Something else. */
    OTHER
  }

  @Override
  public String toString() {
    return message;
  }
}
