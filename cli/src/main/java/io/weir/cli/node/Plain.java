package io.weir.cli.node;

/** What comes from elsewhere, fit for a terminal. */
public final class Plain {
  private Plain() {}

  /** Without what a terminal would take for an order: names come from strangers. */
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
