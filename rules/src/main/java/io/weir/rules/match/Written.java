package io.weir.rules.match;

/**
 * Texts as they stand in a match that is written out: as they are, or in quotes where they could be
 * taken for something else. Different matches are written differently.
 */
final class Written {
  private static final String PLAIN = "._-/:{}@+=";

  private Written() {}

  static String out(String text) {
    return out(text, PLAIN);
  }

  static String out(PathPattern pattern) {
    return out(pattern.toString(), PLAIN + "*");
  }

  private static String out(String text, String plain) {
    boolean isPlain =
        !text.isEmpty()
            && text.chars().allMatch(c -> Character.isLetterOrDigit(c) || plain.indexOf(c) >= 0);
    return isPlain ? text : '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
