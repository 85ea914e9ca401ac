package io.weir.redis;

/**
 * What is sent to Redis beside the keys.
 *
 * @param script to be called
 * @param args its ARGV
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares messages
record Message(Script script, byte[][] args) {}
