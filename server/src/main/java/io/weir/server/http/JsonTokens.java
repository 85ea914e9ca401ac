package io.weir.server.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.rules.match.MalformedRequestException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A strict JSON tokenizer by RFC 8259: UTF-8 without a byte order mark, no duplicate names.
 *
 * <p>Check requests are short and frequent. So the input is one array without a buffer, and a
 * string without escapes is created from it in one step. Positions are computed only for error
 * messages.
 */
final class JsonTokens {
  /** The kind of a token. */
  enum Kind {
    OBJECT("an object"),
    OBJECT_END("the end"),
    LIST("a list"),
    LIST_END("the end"),
    NAME("a name"),
    TEXT("a string"),
    NUMBER("a number"),
    FRACTION("a fraction"),
    TRUE("true"),
    FALSE("false"),
    NULL("null"),
    /** The end of the input. */
    NOTHING("nothing"),
    /** Content after the end of the JSON. */
    MORE("more");

    private final String words;

    Kind(String words) {
      this.words = words;
    }

    String words() {
      return words;
    }
  }

  private static final int DEEPEST = 16;
  private static final int MAX_NUMBER_DIGITS = 100;
  private static final int FEW = 8;

  private final byte[] bytes;
  private final int from;
  private final int end;
  private int at;
  private int start; // of the token
  private Kind kind = Kind.NOTHING;
  private String text = "";
  private boolean isEscaped;

  private final Names[] objects = new Names[DEEPEST + 1]; // null for a list
  private int depth;
  private boolean isFirst; // no element of this object or list was read
  private boolean isNamed; // a name was read, its value is next
  private boolean isOver;

  JsonTokens(byte[] bytes) {
    this(bytes, 0, bytes.length);
  }

  /** Reads {@code bytes} from {@code from} up to {@code end}. */
  JsonTokens(byte[] bytes, int from, int end) {
    this.bytes = bytes;
    this.from = from;
    this.end = end;
    this.at = from;
    requireUtf8();
    next();
  }

  private void requireUtf8() {
    for (int i = from; i < end; i++) {
      if (bytes[i] < 0) {
        try {
          UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, from, end - from));
          return;
        } catch (CharacterCodingException e) {
          throw new MalformedRequestException("the body is not UTF-8");
        }
      }
    }
  }

  /** The kind of the current token. */
  Kind kind() {
    return kind;
  }

  /** The current name, string or number. */
  String text() {
    return text;
  }

  /** Whether the string had escapes; only escapes can produce invalid Unicode. */
  boolean isEscaped() {
    return isEscaped;
  }

  /** Advances to the next token. */
  void next() {
    skipBlanks();
    start = at;
    if (isOver) {
      kind = at == end ? Kind.NOTHING : Kind.MORE;
    } else if (at == end) {
      if (depth > 0) {
        throw fault("it ends too early");
      }
      kind = Kind.NOTHING;
    } else if (depth == 0 || isNamed) {
      isNamed = false;
      value();
    } else {
      nextOf(objects[depth]);
    }
  }

  private void nextOf(@Nullable Names names) {
    byte last = (byte) (names == null ? ']' : '}');
    if (bytes[at] == last) {
      at++;
      depth--;
      valueEnds(names == null ? Kind.LIST_END : Kind.OBJECT_END);
      return;
    }
    if (!isFirst) {
      if (bytes[at] != ',') {
        throw unexpected();
      }
      at++;
      skipBlanks();
      start = at;
    }
    isFirst = false;
    if (names == null) {
      value();
    } else {
      name(names);
    }
  }

  private void name(Names names) {
    if (at == end || bytes[at] != '"') {
      throw unexpected();
    }
    quoted();
    if (!names.add(text)) {
      throw fault("the name '" + text + "' comes twice");
    }
    skipBlanks();
    if (at == end || bytes[at] != ':') {
      throw unexpected();
    }
    at++;
    isNamed = true;
    kind = Kind.NAME;
  }

  private void value() {
    if (at == end) {
      throw unexpected();
    }
    byte first = bytes[at];
    switch (first) {
      case '"' -> {
        quoted();
        valueEnds(Kind.TEXT);
      }
      case '{' -> begin(Kind.OBJECT, new Names());
      case '[' -> begin(Kind.LIST, null);
      case 't' -> word("true", Kind.TRUE);
      case 'f' -> word("false", Kind.FALSE);
      case 'n' -> word("null", Kind.NULL);
      default -> {
        if (first != '-' && !isDigit(first)) {
          throw unexpected();
        }
        number();
      }
    }
  }

  private void begin(Kind found, @Nullable Names names) {
    if (depth == DEEPEST) {
      throw fault("it is nested more than " + DEEPEST + " deep");
    }
    at++;
    depth++;
    objects[depth] = names;
    isFirst = true;
    kind = found;
  }

  private void valueEnds(Kind found) {
    isFirst = false;
    isOver = depth == 0;
    kind = found;
  }

  private void word(String word, Kind found) {
    for (int i = 0; i < word.length(); i++, at++) {
      if (at == end || bytes[at] != word.charAt(i)) {
        throw unexpected();
      }
    }
    valueEnds(found);
  }

  private void number() {
    int first = at;
    if (bytes[at] == '-') {
      at++;
    }
    if (at < end && bytes[at] == '0') {
      at++;
      if (at < end && isDigit(bytes[at])) {
        throw fault("a number must not begin with 0");
      }
    } else {
      digits();
    }
    Kind found = Kind.NUMBER;
    if (at < end && bytes[at] == '.') {
      at++;
      digits();
      found = Kind.FRACTION;
    }
    if (at < end && (bytes[at] | 0x20) == 'e') {
      at++;
      if (at < end && (bytes[at] == '+' || bytes[at] == '-')) {
        at++;
      }
      digits();
      found = Kind.FRACTION;
    }
    if (at - first > MAX_NUMBER_DIGITS) {
      throw fault("a number is longer than " + MAX_NUMBER_DIGITS + " digits");
    }
    text = new String(bytes, first, at - first, ISO_8859_1);
    isEscaped = false;
    valueEnds(found);
  }

  private void digits() {
    int first = at;
    while (at < end && isDigit(bytes[at])) {
      at++;
    }
    if (at == first) {
      throw unexpected();
    }
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  /** Reads a string. Most are ASCII, which is the fastest to decode. */
  private void quoted() {
    int first = ++at;
    boolean isAscii = true;
    isEscaped = false;
    while (at < end) {
      byte b = bytes[at];
      if (b == '"') {
        text =
            isEscaped
                ? unescaped(first)
                : new String(bytes, first, at - first, isAscii ? ISO_8859_1 : UTF_8);
        at++;
        return;
      }
      if (b == '\\') {
        isEscaped = true;
        at++;
      } else if (b < 0) {
        isAscii = false;
      } else if (b < ' ') {
        throw fault("control characters in texts must be escaped");
      }
      at++;
    }
    at = end;
    throw fault("it ends within a text");
  }

  private String unescaped(int first) {
    try {
      return JsonEscapes.resolved(new String(bytes, first, at - first, UTF_8));
    } catch (IllegalArgumentException e) {
      throw fault(String.valueOf(e.getMessage()));
    }
  }

  private void skipBlanks() {
    while (at < end && isBlank(bytes[at])) {
      at++;
    }
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }

  private MalformedRequestException unexpected() {
    start = at;
    if (at == end) {
      return fault("it ends too early");
    }
    int character = new String(bytes, at, Math.min(4, end - at), UTF_8).codePointAt(0);
    return fault(
        Character.isISOControl(character) || bytes[at] < 0
            ? "unexpected character U+%04X".formatted(character)
            : "unexpected character '" + (char) character + "'");
  }

  private MalformedRequestException fault(String message) {
    return new MalformedRequestException("the body is not JSON: " + message + place());
  }

  /** The position of the current token, for messages. */
  String place() {
    int line = 1;
    int lineStart = from;
    for (int i = from; i < start; i++) {
      if (bytes[i] == '\n') {
        line++;
        lineStart = i + 1;
      }
    }
    int column = 1 + new String(bytes, lineStart, start - lineStart, UTF_8).length();
    return " (line " + line + ", column " + column + ")";
  }

  /** The names of one object; an array while they are few. */
  private static final class Names {
    private String[] few = new String[FEW];
    private int size;
    private @Nullable Set<String> many;

    boolean add(String name) {
      if (many != null) {
        return many.add(name);
      }
      for (int i = 0; i < size; i++) {
        if (few[i].equals(name)) {
          return false;
        }
      }
      if (size == FEW) {
        many = new HashSet<>(Arrays.asList(few));
        return many.add(name);
      }
      few[size++] = name;
      return true;
    }
  }
}
