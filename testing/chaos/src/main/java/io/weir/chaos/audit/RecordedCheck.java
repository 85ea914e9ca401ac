package io.weir.chaos.audit;

import io.weir.Origin;

/**
 * The result of one request, with times of the machine's monotonic clock, which all its processes
 * share.
 *
 * @param limiter the name of the limiter
 * @param origin what the node's decision is based on
 * @param sent when the client sent the request
 * @param before when the node began to decide
 * @param after when the node had decided
 * @param received when the client received the reply, or timed out
 */
public record RecordedCheck(
    String limiter,
    String user,
    int node,
    Result result,
    Origin origin,
    long sent,
    long before,
    long after,
    long received) {

  /** The decision that the client received. */
  public enum Result {
    /** Allowed. */
    ALLOWED,
    /** Refused. */
    REFUSED,
    /** No reply before the client's deadline; a later one is discarded. */
    NONE
  }

  /** A request without a reply. */
  public static RecordedCheck none(String limiter, String user, int node, long sent, long gaveUp) {
    return new RecordedCheck(
        limiter, user, node, Result.NONE, Origin.FAILURE, sent, sent, gaveUp, gaveUp);
  }

  public boolean isAllowed() {
    return result == Result.ALLOWED;
  }

  /** Whether the decision lies between the client's sending and receiving. */
  boolean isInOrder() {
    return sent <= before && before <= after && after <= received;
  }

  /** The user of one limiter; the same user of another limiter is independent. */
  String account() {
    return limiter + "/" + user;
  }
}
