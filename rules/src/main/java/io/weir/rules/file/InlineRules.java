package io.weir.rules.file;

/**
 * Rules embedded in a program, in the format of a file.
 *
 * @param name its name in problems
 */
public record InlineRules(String name, byte[] content) {}
