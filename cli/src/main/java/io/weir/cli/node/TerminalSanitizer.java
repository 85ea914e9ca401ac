package io.weir.cli.node;

/** Makes foreign text safe for a terminal. */
public final class TerminalSanitizer {
  private TerminalSanitizer() {}

  /** The text without terminal control sequences: names come from untrusted callers. */
  public static String text(String text) {
    StringBuilder out = new StringBuilder(text.length());
    text.codePoints().forEach(c -> out.appendCodePoint(isOrder(c) ? '?' : c));
    return out.toString();
  }

  private static boolean isOrder(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.UNASSIGNED ->
          true;
      default -> false;
    };
  }
}
