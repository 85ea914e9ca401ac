package io.weir.redis;

/**
 * Redis's reply to a node that has sent its grants.
 *
 * @param began when the sum began; reveals a sum that was lost in between
 * @param sum how many permits all nodes have sent since
 * @param spent how many permits of each limit are used; more than the capacity if a bucket owes
 *     some
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record SyncReply(long began, long sum, long[] spent) {}
