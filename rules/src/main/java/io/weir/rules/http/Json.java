package io.weir.rules.http;

import org.jspecify.annotations.Nullable;

/** Writes JSON, in one line. */
public final class Json {
  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  private final StringBuilder out;
  private boolean isFirst = true;

  /** An empty one. */
  public Json() {
    this(256);
  }

  /** One with room for so many characters, to begin with. */
  Json(int size) {
    out = new StringBuilder(size);
  }

  /** Begins an object. */
  public Json open() {
    return begin('{');
  }

  /** Begins an object or a list that is a value of {@code name}. */
  public Json open(String name, char bracket) {
    name(name);
    out.append(bracket);
    isFirst = true;
    return this;
  }

  /** Begins an object or a list. */
  public Json begin(char bracket) {
    next();
    out.append(bracket);
    isFirst = true;
    return this;
  }

  /** Ends an object. */
  public Json close() {
    return end('}');
  }

  /** Ends an object or a list. */
  public Json end(char bracket) {
    out.append(bracket);
    isFirst = false;
    return this;
  }

  /** A text, or null. */
  public Json text(String name, @Nullable String value) {
    name(name);
    if (value == null) {
      out.append("null");
    } else {
      append(value);
    }
    return this;
  }

  /** A text in a list. */
  public Json text(String value) {
    next();
    append(value);
    return this;
  }

  /** A number. */
  public Json number(String name, long value) {
    name(name);
    out.append(value);
    return this;
  }

  /** A truth. */
  public Json truth(String name, boolean value) {
    name(name);
    out.append(value);
    return this;
  }

  /** Nothing. */
  public Json nothing(String name) {
    return text(name, null);
  }

  /** A value that is JSON already. */
  public Json raw(String name, String json) {
    name(name);
    out.append(json);
    return this;
  }

  /** A value that is JSON already, in a list. */
  public Json raw(String json) {
    next();
    out.append(json);
    return this;
  }

  private void name(String name) {
    next();
    append(name);
    out.append(':');
  }

  private void next() {
    if (!isFirst) {
      out.append(',');
    }
    isFirst = false;
  }

  /** Hardly ever is there anything to escape: then it is appended in one piece. */
  private void append(String text) {
    out.append('"');
    int length = text.length();
    int plain = 0;
    while (plain < length && isPlain(text.charAt(plain))) {
      plain++;
    }
    out.append(text, 0, plain);
    for (int i = plain; i < length; i++) {
      char c = text.charAt(i);
      if (isPlain(c)) {
        out.append(c);
      } else if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else {
        out.append("\\u").append(HEX[c >> 12]).append(HEX[(c >> 8) & 15]);
        out.append(HEX[(c >> 4) & 15]).append(HEX[c & 15]);
      }
    }
    out.append('"');
  }

  private static boolean isPlain(char c) {
    return c < 127 ? c >= ' ' && c != '"' && c != '\\' : isPlainBeyondAscii(c);
  }

  /** JSON would allow all of them, but what reads it as YAML, and terminals, would not. */
  private static boolean isPlainBeyondAscii(char c) {
    return c >= 0xA0
        && c < 0xFFFE
        && !Character.isSurrogate(c)
        && c != 0x2028
        && c != 0x2029
        && c != 0xFEFF;
  }

  @Override
  public String toString() {
    return out.toString();
  }
}
