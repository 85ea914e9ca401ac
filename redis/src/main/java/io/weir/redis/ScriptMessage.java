package io.weir.redis;

/**
 * The message for a script, except the keys.
 *
 * @param script the script to call
 * @param args its ARGV
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ScriptMessage(Script script, byte[][] args) {}
