package io.weir.spring;

/**
 * A front end of the application.
 *
 * @param words its description, for the log
 */
record Front(String words) {}
