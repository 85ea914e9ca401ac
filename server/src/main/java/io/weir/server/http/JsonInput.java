package io.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.http.JsonTokens.Kind;
import org.jspecify.annotations.Nullable;

/**
 * A strict pull parser for JSON from the network: UTF-8 only, no duplicate names, limited nesting,
 * nothing after the end. Each error is a {@link MalformedRequestException} that names the fault and
 * its position. Not thread-safe.
 *
 * <pre>{@code
 * JsonInput in = JsonInput.of(body);
 * in.beginObject("the body");
 * for (String name = in.name(); name != null; name = in.name()) { … in.text(name) … }
 * in.end();
 * }</pre>
 */
public final class JsonInput {
  private final JsonTokens tokens;

  private JsonInput(JsonTokens tokens) {
    this.tokens = tokens;
  }

  /** Reads {@code body}. */
  public static JsonInput of(byte[] body) {
    return new JsonInput(new JsonTokens(body));
  }

  /** Reads {@code body}, without a copy if possible. */
  public static JsonInput of(Buffer body) {
    ByteBuf bytes = ((BufferInternal) body).getByteBuf();
    if (!bytes.hasArray()) {
      return of(body.getBytes());
    }
    int from = bytes.arrayOffset() + bytes.readerIndex();
    return new JsonInput(new JsonTokens(bytes.array(), from, from + bytes.readableBytes()));
  }

  /** Whether the next value is a list. */
  public boolean isList() {
    return tokens.kind() == Kind.LIST;
  }

  /** Whether the input is empty. */
  public boolean isEmpty() {
    return tokens.kind() == Kind.NOTHING;
  }

  /** Enters an object; {@code what} is its name in error messages. */
  public void beginObject(String what) {
    begin(Kind.OBJECT, what);
  }

  /** Enters a list. */
  public void beginList(String what) {
    begin(Kind.LIST, what);
  }

  private void begin(Kind wanted, String what) {
    if (tokens.kind() != wanted) {
      throw wrong(what, wanted.words());
    }
    tokens.next();
  }

  /** The next name of the object, before its value; null at the end of the object. */
  public @Nullable String name() {
    if (tokens.kind() == Kind.OBJECT_END) {
      tokens.next();
      return null;
    }
    String name = tokens.text();
    if (tokens.isEscaped() && !isUnicode(name)) {
      throw halved("a name");
    }
    tokens.next();
    return name;
  }

  /** Whether the list has another element; if not, leaves the list. */
  public boolean hasNext() {
    if (tokens.kind() == Kind.LIST_END) {
      tokens.next();
      return false;
    }
    return true;
  }

  /** Skips a null, if it is next. */
  public boolean skipNull() {
    boolean isNull = tokens.kind() == Kind.NULL;
    if (isNull) {
      tokens.next();
    }
    return isNull;
  }

  /** Reads a boolean. */
  public boolean truth(String what) {
    Kind kind = tokens.kind();
    if (kind != Kind.TRUE && kind != Kind.FALSE) {
      throw wrong(what, "true or false");
    }
    tokens.next();
    return kind == Kind.TRUE;
  }

  /** Reads a string. */
  public String text(String what) {
    if (tokens.kind() != Kind.TEXT) {
      throw wrong(what, Kind.TEXT.words());
    }
    return value(what, null);
  }

  /** Reads a string, a whole number as its digits, or null. */
  public @Nullable String textOrNumber(String what) {
    return textOrNumber(what, null);
  }

  /**
   * {@link #textOrNumber(String)}. Error messages use {@code what} and {@code name}, which are
   * concatenated only when a message is needed.
   */
  public @Nullable String textOrNumber(String what, @Nullable String name) {
    if (skipNull()) {
      return null;
    }
    Kind kind = tokens.kind();
    if (kind != Kind.TEXT && kind != Kind.NUMBER) {
      throw wrong(called(what, name), Kind.TEXT.words());
    }
    return value(what, name);
  }

  private static String called(String what, @Nullable String name) {
    return name == null ? what : what + " '" + name + "'";
  }

  private String value(String what, @Nullable String name) {
    String text = tokens.text();
    if (tokens.isEscaped() && !isUnicode(text)) {
      throw halved(called(what, name));
    }
    tokens.next();
    return text;
  }

  /** Reads a non-negative whole number. */
  public long count(String what) {
    if (tokens.kind() != Kind.NUMBER) {
      throw wrong(what, "a whole number");
    }
    long number = CountParser.parse(tokens.text(), what);
    tokens.next();
    return number;
  }

  /** Requires the end of the input. */
  public void end() {
    if (tokens.kind() != Kind.NOTHING) {
      throw mistake("there is more after the JSON");
    }
  }

  /** The error for an unknown name. */
  public MalformedRequestException unknown(String name, String known) {
    return new MalformedRequestException(
        "unknown field '" + name + "'" + tokens.place() + "; there are: " + known);
  }

  private MalformedRequestException wrong(String what, String wanted) {
    return mistake(what + " must be " + wanted + ", not " + tokens.kind().words());
  }

  /** Half of a surrogate pair has no UTF-8 encoding, so two different keys could become equal. */
  private static boolean isUnicode(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isSurrogate(c)) {
        boolean isPair =
            Character.isHighSurrogate(c)
                && i + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(i + 1));
        if (!isPair) {
          return false;
        }
        i++;
      }
    }
    return true;
  }

  private MalformedRequestException halved(String what) {
    return mistake(what + " has half of a surrogate pair, which is not valid Unicode");
  }

  private MalformedRequestException mistake(String message) {
    return new MalformedRequestException(message + tokens.place());
  }
}
