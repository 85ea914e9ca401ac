package io.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.http.JsonTokens.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON from the network, strictly and piece by piece: UTF-8 only, a name once in an object,
 * nothing deep, nothing after the end. Each mistake is a {@link MalformedRequestException} that
 * says what is wrong and where.
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

  /** Reads {@code body}, where it is. */
  public static JsonInput of(Buffer body) {
    ByteBuf bytes = ((BufferInternal) body).getByteBuf();
    if (!bytes.hasArray()) {
      return of(body.getBytes());
    }
    int from = bytes.arrayOffset() + bytes.readerIndex();
    return new JsonInput(new JsonTokens(bytes.array(), from, from + bytes.readableBytes()));
  }

  /** Whether a list comes. */
  public boolean isList() {
    return tokens.kind() == Kind.LIST;
  }

  /** Whether nothing at all was sent. */
  public boolean isEmpty() {
    return tokens.kind() == Kind.NOTHING;
  }

  /** Goes into an object, called {@code what} if it is none. */
  public void beginObject(String what) {
    begin(Kind.OBJECT, what);
  }

  /** Goes into a list. */
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

  /** Whether the list has another element; if not, it has been left. */
  public boolean hasNext() {
    if (tokens.kind() == Kind.LIST_END) {
      tokens.next();
      return false;
    }
    return true;
  }

  /** Passes over a null, if one comes. */
  public boolean skipNull() {
    boolean isNull = tokens.kind() == Kind.NULL;
    if (isNull) {
      tokens.next();
    }
    return isNull;
  }

  /** A truth. */
  public boolean truth(String what) {
    Kind kind = tokens.kind();
    if (kind != Kind.TRUE && kind != Kind.FALSE) {
      throw wrong(what, "true or false");
    }
    tokens.next();
    return kind == Kind.TRUE;
  }

  /** A text. */
  public String text(String what) {
    if (tokens.kind() != Kind.TEXT) {
      throw wrong(what, Kind.TEXT.words());
    }
    return value(what, null);
  }

  /** A text; a whole number is one too, as it is written; null is null. */
  public @Nullable String textOrNumber(String what) {
    return textOrNumber(what, null);
  }

  /**
   * The same; in messages it is called {@code what}, and by its name. Those are rarely needed, so
   * nothing is put together before.
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

  /** A whole number that is not negative. */
  public long count(String what) {
    if (tokens.kind() != Kind.NUMBER) {
      throw wrong(what, "a whole number");
    }
    long number = Counts.parse(tokens.text(), what);
    tokens.next();
    return number;
  }

  /** Makes sure that nothing follows. */
  public void end() {
    if (tokens.kind() != Kind.NOTHING) {
      throw mistake("there is more after the JSON");
    }
  }

  /** A name that means nothing here. */
  public MalformedRequestException unknown(String name, String known) {
    return new MalformedRequestException(
        "unknown field '" + name + "'" + tokens.place() + "; there are: " + known);
  }

  private MalformedRequestException wrong(String what, String wanted) {
    return mistake(what + " must be " + wanted + ", not " + tokens.kind().words());
  }

  /** Half of a pair of surrogates has no bytes, so two such keys could be one. */
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
    return mistake(what + " has half of a surrogate pair: this is no Unicode");
  }

  private MalformedRequestException mistake(String message) {
    return new MalformedRequestException(message + tokens.place());
  }
}
