package io.weir.spring.diagnostics;

/**
 * A front end of the application.
 *
 * @param words its description, for the log
 */
public record Front(String words) {}
