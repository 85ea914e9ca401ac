package io.weir.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.weir.rules.match.MalformedRequestException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
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
  private static final int DEEPEST = 16;
  private static final int LONGEST_NUMBER = 100;

  /** Longer than any body that is read. */
  private static final int LONGEST_TEXT = 1 << 24;

  private static final JsonFactory FACTORY =
      new JsonFactoryBuilder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(DEEPEST)
                  .maxNumberLength(LONGEST_NUMBER)
                  .maxStringLength(LONGEST_TEXT)
                  .maxNameLength(LONGEST_TEXT)
                  .build())
          .build();

  private final JsonParser parser;

  private JsonInput(JsonParser parser) {
    this.parser = parser;
  }

  /** Reads {@code body}. */
  public static JsonInput of(byte[] body) {
    JsonInput in;
    try {
      in = new JsonInput(isAscii(body) ? FACTORY.createParser(body) : ofText(body));
    } catch (IOException e) {
      throw new MalformedRequestException("the body cannot be read");
    }
    in.next();
    return in;
  }

  /** The parser would also take other encodings and spellings of UTF-8 that are none. */
  private static JsonParser ofText(byte[] body) throws IOException {
    try {
      return FACTORY.createParser(UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString());
    } catch (CharacterCodingException e) {
      throw new MalformedRequestException("the body is not UTF-8");
    }
  }

  private static boolean isAscii(byte[] body) {
    for (byte b : body) {
      if (b <= 0) {
        return false;
      }
    }
    return true;
  }

  /** Whether a list comes. */
  public boolean isList() {
    return parser.currentToken() == JsonToken.START_ARRAY;
  }

  /** Whether nothing at all was sent. */
  public boolean isEmpty() {
    return parser.currentToken() == null;
  }

  /** Goes into an object, called {@code what} if it is none. */
  public void beginObject(String what) {
    begin(JsonToken.START_OBJECT, what, "an object");
  }

  /** Goes into a list. */
  public void beginList(String what) {
    begin(JsonToken.START_ARRAY, what, "a list");
  }

  private void begin(JsonToken wanted, String what, String kind) {
    if (parser.currentToken() != wanted) {
      throw wrong(what, kind);
    }
    next();
  }

  /** The next name of the object, before its value; null at the end of the object. */
  public @Nullable String name() {
    if (parser.currentToken() == JsonToken.END_OBJECT) {
      next();
      return null;
    }
    try {
      String name = parser.currentName();
      if (!isUnicode(name)) {
        throw halved("a name");
      }
      next();
      return name;
    } catch (IOException e) {
      throw fault(e);
    }
  }

  /** Whether the list has another element; if not, it has been left. */
  public boolean hasNext() {
    if (parser.currentToken() == JsonToken.END_ARRAY) {
      next();
      return false;
    }
    return true;
  }

  /** Passes over a null, if one comes. */
  public boolean skipNull() {
    boolean isNull = parser.currentToken() == JsonToken.VALUE_NULL;
    if (isNull) {
      next();
    }
    return isNull;
  }

  /** A truth. */
  public boolean truth(String what) {
    JsonToken token = parser.currentToken();
    if (token != JsonToken.VALUE_TRUE && token != JsonToken.VALUE_FALSE) {
      throw wrong(what, "true or false");
    }
    next();
    return token == JsonToken.VALUE_TRUE;
  }

  /** A text. */
  public String text(String what) {
    if (parser.currentToken() != JsonToken.VALUE_STRING) {
      throw wrong(what, "a string");
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
    JsonToken token = parser.currentToken();
    if (token == JsonToken.VALUE_NULL) {
      next();
      return null;
    }
    if (token != JsonToken.VALUE_STRING && token != JsonToken.VALUE_NUMBER_INT) {
      throw wrong(called(what, name), "a string");
    }
    return value(what, name);
  }

  private static String called(String what, @Nullable String name) {
    return name == null ? what : what + " '" + name + "'";
  }

  private String value(String what, @Nullable String name) {
    try {
      String text = parser.getText();
      if (!isUnicode(text)) {
        throw halved(called(what, name));
      }
      next();
      return text;
    } catch (IOException e) {
      throw fault(e);
    }
  }

  /** A whole number that is not negative. */
  public long count(String what) {
    if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT) {
      throw wrong(what, "a whole number");
    }
    try {
      String digits = parser.getText();
      long number = Counts.parse(digits, what);
      next();
      return number;
    } catch (IOException e) {
      throw fault(e);
    }
  }

  /** Makes sure that nothing follows. */
  public void end() {
    if (parser.currentToken() != null) {
      throw mistake("there is more after the JSON" + place());
    }
  }

  /** A name that means nothing here. */
  public MalformedRequestException unknown(String name, String known) {
    return mistake("unknown field '" + name + "'" + place() + "; there are: " + known);
  }

  private void next() {
    try {
      parser.nextToken();
    } catch (IOException | IllegalStateException e) { // the latter where names are made to collide
      throw fault(e);
    }
  }

  private MalformedRequestException wrong(String what, String wanted) {
    JsonToken token = parser.currentToken();
    String found = token == null ? "nothing" : found(token);
    return mistake(what + " must be " + wanted + ", not " + found + place());
  }

  private static String found(JsonToken token) {
    return switch (token) {
      case START_OBJECT -> "an object";
      case START_ARRAY -> "a list";
      case VALUE_STRING -> "a string";
      case VALUE_NUMBER_INT -> "a number";
      case VALUE_NUMBER_FLOAT -> "a fraction";
      case VALUE_TRUE -> "true";
      case VALUE_FALSE -> "false";
      case VALUE_NULL -> "null";
      default -> "the end";
    };
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
    return mistake(what + " has half of a surrogate pair: this is no Unicode" + place());
  }

  /** The buffers of the parser go back to where they are taken from. */
  private MalformedRequestException mistake(String message) {
    try {
      parser.close();
    } catch (IOException e) {
      return new MalformedRequestException(message); // there is nothing behind it that could fail
    }
    return new MalformedRequestException(message);
  }

  private String place() {
    return place(parser.currentTokenLocation());
  }

  private static String place(JsonLocation at) {
    return " (line " + at.getLineNr() + ", column " + at.getColumnNr() + ")";
  }

  private MalformedRequestException fault(Exception e) {
    String message = "the body is not JSON";
    if (e instanceof JsonProcessingException syntax) {
      message += ": " + syntax.getOriginalMessage();
      return mistake(message + (syntax.getLocation() == null ? "" : place(syntax.getLocation())));
    }
    return mistake(message);
  }
}
