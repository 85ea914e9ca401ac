package io.weir.rules.http;

import org.jspecify.annotations.Nullable;

/** Writes JSON in one line. Not thread-safe. */
public final class JsonWriter {
  private static final char[] HEX = "0123456789ABCDEF".toCharArray();

  private final StringBuilder out;
  private boolean isFirst = true;

  /** Starts with a default buffer. */
  public JsonWriter() {
    this(256);
  }

  /** Starts with room for {@code size} characters. */
  JsonWriter(int size) {
    out = new StringBuilder(size);
  }

  /** Begins an object. */
  public JsonWriter open() {
    return begin('{');
  }

  /** Begins an object or a list as the value of {@code name}. */
  public JsonWriter open(String name, char bracket) {
    name(name);
    out.append(bracket);
    isFirst = true;
    return this;
  }

  /** Begins an object or a list. */
  public JsonWriter begin(char bracket) {
    next();
    out.append(bracket);
    isFirst = true;
    return this;
  }

  /** Ends an object. */
  public JsonWriter close() {
    return end('}');
  }

  /** Ends an object or a list. */
  public JsonWriter end(char bracket) {
    out.append(bracket);
    isFirst = false;
    return this;
  }

  /** A text, or null. */
  public JsonWriter text(String name, @Nullable String value) {
    name(name);
    if (value == null) {
      out.append("null");
    } else {
      append(value);
    }
    return this;
  }

  /** A text in a list. */
  public JsonWriter text(String value) {
    next();
    append(value);
    return this;
  }

  /** A number. */
  public JsonWriter number(String name, long value) {
    name(name);
    out.append(value);
    return this;
  }

  /** A boolean. */
  public JsonWriter truth(String name, boolean value) {
    name(name);
    out.append(value);
    return this;
  }

  /** A null. */
  public JsonWriter nothing(String name) {
    return text(name, null);
  }

  /** A value that is already JSON. */
  public JsonWriter raw(String name, String json) {
    name(name);
    out.append(json);
    return this;
  }

  /** A list item that is already JSON. */
  public JsonWriter raw(String json) {
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

  /** Most texts need no escapes and are appended at once. */
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

  /** JSON allows all of these characters, but YAML parsers and terminals do not. */
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
