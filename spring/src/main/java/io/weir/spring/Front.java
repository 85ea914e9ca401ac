package io.weir.spring;

/**
 * Something that asks about requests or calls.
 *
 * @param words what it is, for the log
 */
record Front(String words) {}
