package io.weir.cli.simulate;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Writes HTML that is also well-formed XML: every element is closed and all text is escaped. Not
 * thread-safe.
 */
final class HtmlWriter {
  private final StringBuilder out = new StringBuilder();
  private final Deque<String> open = new ArrayDeque<>();

  /** Opens an element; attributes are names and values in turn. */
  HtmlWriter open(String tag, String... attributes) {
    start(tag, attributes).append('>');
    open.push(tag);
    return this;
  }

  /** Closes the element that was opened last. */
  HtmlWriter close() {
    out.append("</").append(open.pop()).append('>');
    return this;
  }

  /** Adds an element without content, such as {@code rect} or {@code meta}. */
  HtmlWriter empty(String tag, String... attributes) {
    start(tag, attributes).append("/>");
    return this;
  }

  /** Adds an element with only text. */
  HtmlWriter element(String tag, String text, String... attributes) {
    return open(tag, attributes).text(text).close();
  }

  HtmlWriter text(String text) {
    escape(text);
    return this;
  }

  /** Adds an element with unescaped content: a script or a style. */
  HtmlWriter verbatim(String tag, String content, String... attributes) {
    start(tag, attributes).append('>').append(content).append("</").append(tag).append('>');
    return this;
  }

  HtmlWriter newLine() {
    out.append('\n');
    return this;
  }

  private StringBuilder start(String tag, String... attributes) {
    out.append('<').append(tag);
    for (int i = 0; i < attributes.length; i += 2) {
      out.append(' ').append(attributes[i]).append("=\"");
      escape(attributes[i + 1]);
      out.append('"');
    }
    return out;
  }

  private void escape(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '&' -> out.append("&amp;");
        case '<' -> out.append("&lt;");
        case '>' -> out.append("&gt;");
        case '"' -> out.append("&quot;");
        case '\'' -> out.append("&#39;");
        default -> out.append(c);
      }
    }
  }

  @Override
  public String toString() {
    if (!open.isEmpty()) {
      throw new IllegalStateException("not closed: " + open);
    }
    return out.toString();
  }
}
