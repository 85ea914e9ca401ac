package io.weir.chaos;

import io.weir.Origin;

/**
 * What became of one question, with times of the machine's monotonic clock, which all its processes
 * share.
 *
 * @param limiter the name of the limiter that was asked
 * @param origin what the node's decision rests on
 * @param sent when the client asked
 * @param before when the node began to decide
 * @param after when the node had decided
 * @param received when the client had the answer, or gave up
 */
record Answer(
    String limiter,
    String user,
    int node,
    Verdict verdict,
    Origin origin,
    long sent,
    long before,
    long after,
    long received) {

  /** What the client was told. */
  enum Verdict {
    /** It may. */
    YES,
    /** It may not. */
    NO,
    /** Nothing before the client's deadline: whatever came later was thrown away. */
    NONE
  }

  /** One that did not come. */
  static Answer none(String limiter, String user, int node, long sent, long gaveUp) {
    return new Answer(
        limiter, user, node, Verdict.NONE, Origin.FAILURE, sent, sent, gaveUp, gaveUp);
  }

  boolean isYes() {
    return verdict == Verdict.YES;
  }

  /** Whether its decision lies between the client's sending and receiving. */
  boolean isInOrder() {
    return sent <= before && before <= after && after <= received;
  }

  /** Whose it is: a user of one limiter has nothing to do with that of another. */
  String account() {
    return limiter + "/" + user;
  }
}
