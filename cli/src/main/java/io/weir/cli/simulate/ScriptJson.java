package io.weir.cli.simulate;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Writes text as JSON for a script element, escaped so that it cannot end that element. */
final class ScriptJson {
  private ScriptJson() {}

  static String string(String text) {
    StringBuilder json = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean isPlain =
          c >= ' ' && c < 0x7F && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
      json.append(isPlain ? String.valueOf(c) : String.format(Locale.ROOT, "\\u%04x", (int) c));
    }
    return json.append('"').toString();
  }

  static String numbers(List<Long> numbers) {
    return numbers.stream().map(String::valueOf).collect(Collectors.joining(",", "[", "]"));
  }
}
