package io.weir.rules;

import io.weir.rules.text.Excerpt;

/**
 * An error or a warning in a rule file.
 *
 * @param message what is wrong, why, and what to do
 */
public record Problem(Severity severity, SourceLocation sourceLocation, String message) {
  private static final int MAX_LENGTH = 2000;

  /** The severity of a problem. */
  public enum Severity {
    /** The file cannot be used. */
    ERROR,
    /** The file can be used, but probably does not do what was intended. */
    WARNING
  }

  /** An error. */
  public static Problem error(SourceLocation sourceLocation, String message) {
    return new Problem(Severity.ERROR, sourceLocation, message);
  }

  /** A warning. */
  public static Problem warning(SourceLocation sourceLocation, String message) {
    return new Problem(Severity.WARNING, sourceLocation, message);
  }

  /** {@code rules.yaml:3:26: unknown algorithm 'tokn-bucket'; did you mean 'token-bucket'?}. */
  @Override
  public String toString() {
    String text =
        sourceLocation + ": " + (severity == Severity.WARNING ? "warning: " : "") + message;
    return Excerpt.of(text, MAX_LENGTH);
  }
}
