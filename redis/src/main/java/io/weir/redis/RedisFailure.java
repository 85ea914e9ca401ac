package io.weir.redis;

/**
 * Why Redis made no decision.
 *
 * @param kind the kind of failure
 * @param message from Redis or the client
 * @param isInDoubt whether Redis may nevertheless have executed the call: see {@link
 *     ScriptCall#fail}
 */
record RedisFailure(Kind kind, String message, boolean isInDoubt) {
  /** A failure without doubt about the result. */
  RedisFailure(Kind kind, String message) {
    this(kind, message, false);
  }

  /** The same failure, with or without doubt about the result. */
  RedisFailure inDoubt(boolean doubt) {
    return doubt == isInDoubt ? this : new RedisFailure(kind, message, doubt);
  }

  /** The kind of a failure. */
  enum Kind {
    /** No reply in time. */
    TIMEOUT,
    /** There is no connection. */
    DISCONNECTED,
    /** The server is a replica: another one is the primary now. */
    READ_ONLY,
    /** The server still loads its data, or cannot reach its primary. */
    LOADING,
    /** Another script keeps the server busy. */
    BUSY,
    /** The server has no memory left to write. */
    OUT_OF_MEMORY,
    /** Access was denied: password, user or permissions. */
    FORBIDDEN,
    /** The cluster has no node for the key. */
    CLUSTER_DOWN,
    /** The bucket was written by a release of Weir that is too new for this one. */
    NEWER_FORMAT,
    /** The key contains a value that no release of Weir has written. */
    FOREIGN,
    /** The primary has written it, but not all replicas have. */
    UNREPLICATED,
    /** The primary may not have all earlier grants. */
    DOUBTFUL,
    /** Any other failure. */
    OTHER
  }

  @Override
  public String toString() {
    return message;
  }
}
