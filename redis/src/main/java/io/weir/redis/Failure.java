package io.weir.redis;

/**
 * Why Redis did not decide.
 *
 * @param kind what it means for us
 * @param message what Redis, or the client, said
 * @param isInDoubt whether Redis may have done all the same what it was asked to: see {@link
 *     Call#fail}
 */
record Failure(Kind kind, String message, boolean isInDoubt) {
  /** A failure that leaves no doubt. */
  Failure(Kind kind, String message) {
    this(kind, message, false);
  }

  /** The same, of a call that Redis may have got or not. */
  Failure inDoubt(boolean doubt) {
    return doubt == isInDoubt ? this : new Failure(kind, message, doubt);
  }

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
    /** It has written it, and not all its replicas have. */
    UNREPLICATED,
    /** It may not know what was granted before. */
    DOUBTFUL,
    /** Something else. */
    OTHER
  }

  @Override
  public String toString() {
    return message;
  }
}
