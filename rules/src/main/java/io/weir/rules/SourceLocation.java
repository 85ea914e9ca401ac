package io.weir.rules;

/**
 * A position in a file.
 *
 * @param file its name as it was given
 * @param line from 1
 * @param column from 1
 */
public record SourceLocation(String file, int line, int column) {
  /** The place of rules that were built by a program. */
  public static final SourceLocation NOWHERE = new SourceLocation("(program)", 1, 1);

  @Override
  public String toString() {
    return file + ":" + line + ":" + column;
  }
}
