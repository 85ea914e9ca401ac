package io.weir.rules.replay;

/**
 * A line of a trace that no rule could judge: it is no request, or one that a front would refuse.
 *
 * @param line its number, from 1; the first one of a CSV row that spans several
 * @param reason what is wrong with it
 */
public record Fault(long line, String reason) {
  /** {@code line 12: no 'time'}. */
  @Override
  public String toString() {
    return "line " + line + ": " + reason;
  }
}
