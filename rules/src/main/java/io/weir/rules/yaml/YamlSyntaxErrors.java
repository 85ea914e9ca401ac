package io.weir.rules.yaml;

import io.weir.rules.SourceLocation;
import io.weir.rules.text.Excerpt;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;

/** Translates errors of the YAML parser into plain English. */
final class YamlSyntaxErrors {
  private YamlSyntaxErrors() {}

  /**
   * Reports an error.
   *
   * @param isSecret whether the parser's own message is left out, because it may show a value
   */
  static void report(
      String file,
      String text,
      MarkedYamlEngineException error,
      ProblemCollector problemCollector,
      boolean isSecret) {
    SourceLocation at = YamlTree.place(file, error.getProblemMark());
    int tab = tabInIndentation(text, at.line());
    if (tab > 0) {
      problemCollector.error(
          new SourceLocation(file, at.line(), tab), "a tab cannot indent; use spaces");
      return;
    }
    SourceLocation from =
        error.getContextMark().isPresent() ? YamlTree.place(file, error.getContextMark()) : at;
    String context = String.valueOf(error.getContext());
    String cause = String.valueOf(error.getProblem());
    if (context.contains("an alias")) {
      problemCollector.error(
          from, "'*' repeats a value by its name; to mean the text, quote it: \"*\"");
    } else if (cause.contains("could not find expected ':'")) {
      problemCollector.error(from, "a ':' is missing after this key");
    } else if (cause.contains("end of stream")) {
      problemCollector.error(from, "the quote that opens here is never closed");
    } else {
      problemCollector.error(at, explanation(isSecret ? "" : cause, cause, from));
    }
  }

  private static String explanation(String shown, String cause, SourceLocation from) {
    if (cause.contains("TAB")) {
      return "a tab cannot stand here; use spaces";
    }
    if (cause.contains("mapping values are not allowed")
        || cause.contains("mapping keys are not")) {
      return "no ':' is expected here; indent the line like its neighbours, or quote the text";
    }
    if (cause.contains("sequence entries are not allowed")) {
      return "no '-' is expected here; a list starts on a line of its own";
    }
    if (cause.contains("expected <block end>")) {
      return "this is not indented like what it belongs to, which starts at "
          + (from.line() + ":" + from.column());
    }
    if (cause.contains("expected ',' or")) {
      return "expected ',' or the bracket that closes the one at "
          + (from.line() + ":" + from.column())
          + "; a text with { } [ ] or , in it must be quoted";
    }
    if (cause.contains("unknown escape")) {
      return "no such escape in double quotes; write \\\\ for a backslash, or use single quotes";
    }
    if (cause.contains("cannot start any token")) {
      return "a text cannot start with this character; quote it";
    }
    if (cause.contains("expected the node content")) {
      return "a value is missing here";
    }
    if (cause.contains("document start")) {
      return "something follows after the end of the value";
    }
    return shown.isEmpty() ? "not YAML; quote the text" : "not YAML: " + Excerpt.of(shown);
  }

  /** The column of the first tab in the indentation of a line; 0 if there is none. */
  private static int tabInIndentation(String text, int line) {
    int start = 0;
    for (int i = 1; i < line; i++) {
      int end = text.indexOf('\n', start);
      if (end < 0) {
        return 0;
      }
      start = end + 1;
    }
    for (int i = start; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\t') {
        return i - start + 1;
      }
      if (c != ' ') {
        return 0;
      }
    }
    return 0;
  }
}
