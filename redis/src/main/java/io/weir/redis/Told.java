package io.weir.redis;

/**
 * What Redis says to a node that has told of its grants.
 *
 * @param began when the sum began, by which one that was lost in between is noticed
 * @param sum how many permits all nodes have told of since
 * @param spent how many permits of each limit are gone; of a bucket that owes some, more than it
 *     holds
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares them
record Told(long began, long sum, long[] spent) {}
