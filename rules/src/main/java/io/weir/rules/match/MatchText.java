package io.weir.rules.match;

/**
 * Formats texts in a match: plain, or in quotes if they would be ambiguous. Different matches have
 * different text forms.
 */
final class MatchText {
  private static final String PLAIN = "._-/:{}@+=";

  private MatchText() {}

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
