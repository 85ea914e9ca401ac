package io.weir.rules.replay;

/**
 * A line of a trace that rules could not be applied to: not a request, or one that a front end
 * would refuse.
 *
 * @param line its number, from 1; for a CSV row of several lines, the first
 * @param reason what is wrong with it
 */
public record BadLine(long line, String reason) {
  /** {@code line 12: no 'time'}. */
  @Override
  public String toString() {
    return "line " + line + ": " + reason;
  }
}
