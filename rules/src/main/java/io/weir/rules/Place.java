package io.weir.rules;

/**
 * A position in a file.
 *
 * @param file its name as it was given
 * @param line from 1
 * @param column from 1
 */
public record Place(String file, int line, int column) {
  /** The place of rules that were built by a program. */
  public static final Place NOWHERE = new Place("(program)", 1, 1);

  @Override
  public String toString() {
    return file + ":" + line + ":" + column;
  }
}
