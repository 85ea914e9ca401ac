package io.weir.field;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.field.FieldMember.InnerList;
import io.weir.field.FieldMember.Item;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads Structured Fields by the letter of RFC 9651, section 4.2. A field that breaks a rule
 * anywhere is empty as a whole. Lines of one field are joined with a comma first.
 *
 * <p>A lenient reader may use an instance instead: it takes one value after another with {@link
 * #bareItem} and continues behind an unreadable value as it sees fit. Not thread-safe.
 *
 * <p>Reading takes time and memory in proportion to the text; nothing nests deeper than an inner
 * list. Callers bound the length.
 */
public final class StructuredFieldReader {
  static final BareItem TRUE = new BareItem.Truth(true);

  private static final int MAX_DIGITS = 15;
  private static final int MAX_DIGITS_BEFORE_POINT = 12;
  private static final int MAX_DIGITS_AFTER_POINT = 3;
  private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~:/";

  private final String text;
  private int at;

  /** Starts at the beginning of {@code text}. */
  public StructuredFieldReader(String text) {
    this.text = text;
  }

  /** Reads a list; empty if the text is not one. */
  public static Optional<List<FieldMember>> list(String text) {
    return whole(text, StructuredFieldReader::readList);
  }

  /** Reads a dictionary, in order; empty if the text is not one. */
  public static Optional<Map<String, FieldMember>> dictionary(String text) {
    return whole(text, StructuredFieldReader::readDictionary);
  }

  /** Reads a single item; empty if the text is not one. */
  public static Optional<Item> item(String text) {
    return whole(text, StructuredFieldReader::readItem);
  }

  private static <T> Optional<T> whole(String text, Function<StructuredFieldReader, T> kind) {
    StructuredFieldReader reader = new StructuredFieldReader(text);
    try {
      reader.skipSpaces();
      T value = kind.apply(reader);
      reader.skipSpaces();
      return reader.isAtEnd() ? Optional.of(value) : Optional.empty();
    } catch (Malformed e) {
      return Optional.empty();
    }
  }

  /**
   * Reads the value here and advances past it. If there is no valid one, returns empty and stays.
   */
  public Optional<BareItem> bareItem() {
    int start = at;
    try {
      return Optional.of(readBareItem());
    } catch (Malformed e) {
      at = start;
      return Optional.empty();
    }
  }

  /** The index of the next character. */
  public int position() {
    return at;
  }

  /** Continues at an index. */
  public void moveTo(int position) {
    at = position;
  }

  /** Whether nothing follows. */
  public boolean isAtEnd() {
    return at >= text.length();
  }

  /** Advances past {@code expected}, if it is next. */
  public boolean take(char expected) {
    if (isAtEnd() || text.charAt(at) != expected) {
      return false;
    }
    at++;
    return true;
  }

  /** Advances past spaces and tabs. */
  public void skipBlanks() {
    while (!isAtEnd() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
      at++;
    }
  }

  private void skipSpaces() {
    while (take(' ')) {
      // the next one
    }
  }

  private List<FieldMember> readList() {
    List<FieldMember> members = new ArrayList<>();
    while (!isAtEnd()) {
      members.add(readMember());
      if (!hasMore()) {
        break;
      }
    }
    return members;
  }

  private Map<String, FieldMember> readDictionary() {
    Map<String, FieldMember> members = new LinkedHashMap<>();
    while (!isAtEnd()) {
      String key = readKey();
      members.put(key, take('=') ? readMember() : new Item(TRUE, readParameters()));
      if (!hasMore()) {
        break;
      }
    }
    return members;
  }

  /** Whether a comma and another member follow a member. */
  private boolean hasMore() {
    skipBlanks();
    if (isAtEnd()) {
      return false;
    }
    require(take(','));
    skipBlanks();
    require(!isAtEnd());
    return true;
  }

  private FieldMember readMember() {
    return take('(') ? readInnerList() : readItem();
  }

  private InnerList readInnerList() {
    List<Item> items = new ArrayList<>();
    for (skipSpaces(); !take(')'); skipSpaces()) {
      items.add(readItem());
      require(isNext(' ') || isNext(')'));
    }
    return new InnerList(items, readParameters());
  }

  private Item readItem() {
    BareItem value = readBareItem();
    return new Item(value, readParameters());
  }

  private Map<String, BareItem> readParameters() {
    if (!isNext(';')) {
      return Map.of();
    }
    Map<String, BareItem> parameters = new LinkedHashMap<>();
    while (take(';')) {
      skipSpaces();
      String key = readKey();
      parameters.put(key, take('=') ? readBareItem() : TRUE);
    }
    return parameters;
  }

  private String readKey() {
    int start = at;
    char first = take();
    require(isLowerCase(first) || first == '*');
    while (!isAtEnd() && isOfKey(text.charAt(at))) {
      at++;
    }
    return text.substring(start, at);
  }

  private BareItem readBareItem() {
    char first = take();
    return switch (first) {
      case '"' -> readText();
      case ':' -> readBytes();
      case '?' -> readTruth();
      case '@' -> readDate();
      case '%' -> readDisplayText();
      default -> {
        at--;
        yield first == '-' || isDigit(first) ? readNumber() : readToken();
      }
    };
  }

  private BareItem readNumber() {
    boolean isNegative = take('-');
    int start = at;
    long value = readDigits(MAX_DIGITS);
    int digits = at - start;
    if (!take('.')) {
      return new BareItem.Whole(isNegative ? -value : value);
    }
    require(digits <= MAX_DIGITS_BEFORE_POINT);
    int point = at;
    long fraction = readDigits(MAX_DIGITS_AFTER_POINT);
    for (int i = at - point; i < MAX_DIGITS_AFTER_POINT; i++) {
      fraction *= 10;
    }
    long thousandths = value * 1000 + fraction;
    return new BareItem.Decimal(isNegative ? -thousandths : thousandths);
  }

  private long readDigits(int maxDigits) {
    int start = at;
    while (!isAtEnd() && isDigit(text.charAt(at))) {
      at++;
      require(at - start <= maxDigits);
    }
    require(at > start);
    return Long.parseLong(text, start, at, 10);
  }

  private BareItem readText() {
    StringBuilder value = new StringBuilder();
    for (char c = take(); c != '"'; c = take()) {
      require(isPrintable(c));
      if (c == '\\') {
        c = take();
        require(c == '"' || c == '\\');
      }
      value.append(c);
    }
    return new BareItem.Text(value.toString());
  }

  private BareItem readToken() {
    int start = at;
    char first = take();
    require(isLetter(first) || first == '*');
    while (!isAtEnd() && isOfToken(text.charAt(at))) {
      at++;
    }
    return new BareItem.Token(text.substring(start, at));
  }

  private BareItem readBytes() {
    int end = text.indexOf(':', at);
    require(end >= 0);
    try {
      BareItem bytes = BareItem.Bytes.of(Base64.getDecoder().decode(text.substring(at, end)));
      at = end + 1;
      return bytes;
    } catch (IllegalArgumentException e) {
      throw new Malformed();
    }
  }

  private BareItem readTruth() {
    char c = take();
    require(c == '0' || c == '1');
    return new BareItem.Truth(c == '1');
  }

  private BareItem readDate() {
    boolean isNegative = take('-');
    long seconds = readDigits(MAX_DIGITS);
    require(!isNext('.'));
    return new BareItem.Date(isNegative ? -seconds : seconds);
  }

  private BareItem readDisplayText() {
    require(take('"'));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (char c = take(); c != '"'; c = take()) {
      require(isPrintable(c));
      bytes.write(c == '%' ? readHexDigit() << 4 | readHexDigit() : c);
    }
    try {
      return new BareItem.DisplayText(
          UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray())).toString());
    } catch (CharacterCodingException e) {
      throw new Malformed();
    }
  }

  private int readHexDigit() {
    char c = take();
    require(isDigit(c) || c >= 'a' && c <= 'f');
    return Character.digit(c, 16);
  }

  private char take() {
    require(!isAtEnd());
    return text.charAt(at++);
  }

  private boolean isNext(char expected) {
    return !isAtEnd() && text.charAt(at) == expected;
  }

  private static void require(boolean isValid) {
    if (!isValid) {
      throw new Malformed();
    }
  }

  private static boolean isPrintable(char c) {
    return c >= ' ' && c <= '~';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isLowerCase(char c) {
    return c >= 'a' && c <= 'z';
  }

  private static boolean isLetter(char c) {
    return isLowerCase(c) || c >= 'A' && c <= 'Z';
  }

  private static boolean isOfKey(char c) {
    return isLowerCase(c) || isDigit(c) || "_-.*".indexOf(c) >= 0;
  }

  private static boolean isOfToken(char c) {
    return isLetter(c) || isDigit(c) || TOKEN_MARKS.indexOf(c) >= 0;
  }

  /** Without a stack trace: malformed fields of others are cheap to refuse. */
  private static final class Malformed extends RuntimeException {
    private static final long serialVersionUID = 1;

    Malformed() {
      super(null, null, false, false);
    }
  }
}
