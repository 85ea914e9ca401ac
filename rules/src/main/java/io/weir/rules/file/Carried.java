package io.weir.rules.file;

/**
 * Rules that a program carries with it, as a file would have them.
 *
 * @param name what problems call it
 */
public record Carried(String name, byte[] content) {}
