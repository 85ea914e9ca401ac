package io.weir.rules.replay;

import io.weir.rules.AttributeSource;
import io.weir.rules.http.Query;
import io.weir.rules.text.Excerpt;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Access logs in the common and the combined format:
 *
 * <pre>
 * 192.0.2.1 - ann [10/Oct/2000:13:55:36 -0700] "GET /a?b=c HTTP/1.1" 200 2326 "referer" "agent"
 * </pre>
 *
 * <p>A virtual host before the address is read; anything after the agent is ignored. Lines without
 * a valid HTTP request line are skipped, as are truncated lines.
 */
final class LogLayout implements Layout {
  /*
   * The user is untrusted client input and may contain spaces and brackets, but servers escape
   * quotes in it. So the time is the first bracket that contains a time and is followed by a quote,
   * which a client cannot forge.
   */

  private static final int IP = 0;
  private static final int USER = 1;
  private static final int HOST = 2;
  private static final int METHOD = 3;
  private static final int PATH = 4;
  private static final int STATUS = 5;
  private static final int REFERER = 6;
  private static final int USER_AGENT = 7;
  private static final int QUERY = 8;
  private static final List<String> ATTRIBUTES =
      List.of("ip", "user", "host", "method", "path", "status", "referer", "user_agent");

  @Override
  public List<String> attributes() {
    return ATTRIBUTES;
  }

  @Override
  public int cells() {
    return QUERY + 1;
  }

  @Override
  public int cellOf(String attribute) {
    return ATTRIBUTES.indexOf(attribute);
  }

  @Override
  public @Nullable String text(Block block, int row, int cell) {
    int from = block.from(row, cell);
    int to = block.to(row, cell);
    byte[] bytes = block.bytes();
    if (from >= to || (to - from == 1 && bytes[from] == '-')) {
      return null;
    }
    for (int i = from; i < to; i++) {
      if (bytes[i] == '\\') {
        return unescape(bytes, from, to);
      }
    }
    return new String(bytes, from, to - from, StandardCharsets.UTF_8);
  }

  /** {@code \"}, {@code \\}, {@code \t} and the like, and {@code \x1f}, as servers write them. */
  private static String unescape(byte[] bytes, int from, int to) {
    byte[] plain = new byte[to - from];
    int length = 0;
    for (int i = from; i < to; i++) {
      byte b = bytes[i];
      if (b != '\\' || i + 1 == to) {
        plain[length++] = b;
        continue;
      }
      byte escaped = bytes[++i];
      switch (escaped) {
        case '"', '\\' -> plain[length++] = escaped;
        case 'n' -> plain[length++] = '\n';
        case 'r' -> plain[length++] = '\r';
        case 't' -> plain[length++] = '\t';
        case 'b' -> plain[length++] = '\b';
        case 'f' -> plain[length++] = '\f';
        case 'v' -> plain[length++] = 0x0B;
        case 'x' -> {
          int high = i + 2 < to ? Character.digit(bytes[i + 1], 16) : -1;
          int low = i + 2 < to ? Character.digit(bytes[i + 2], 16) : -1;
          if (high >= 0 && low >= 0) {
            plain[length++] = (byte) (high << 4 | low);
            i += 2;
          } else {
            plain[length++] = '\\';
            plain[length++] = 'x';
          }
        }
        default -> {
          plain[length++] = '\\';
          plain[length++] = escaped;
        }
      }
    }
    return new String(plain, 0, length, StandardCharsets.UTF_8);
  }

  /**
   * A log contains the query and two headers. Other headers and cookies are looked up under the
   * attribute's name.
   */
  @Override
  public @Nullable String field(Row row, String attribute, AttributeSource.Field field) {
    return switch (field.kind()) {
      case QUERY -> {
        String query = row.cell(QUERY);
        yield query == null ? null : Query.parameter(query, field.name());
      }
      case HEADER ->
          switch (field.name().toLowerCase(Locale.ROOT)) {
            case "user-agent" -> row.cell(USER_AGENT);
            case "referer" -> row.cell(REFERER);
            case "host" -> row.cell(HOST);
            default -> row.attribute(attribute);
          };
      case COOKIE -> row.attribute(attribute);
    };
  }

  @Override
  public int read(Block block, int from, int to, boolean atEnd, BadLineCounter faults) {
    byte[] bytes = block.bytes();
    int at = from;
    while (at < to) {
      int end = at;
      while (end < to && bytes[end] != '\n') {
        end++;
      }
      if (end == to && !atEnd) {
        return at;
      }
      readLine(block, at, end > at && bytes[end - 1] == '\r' ? end - 1 : end, faults);
      block.nextLine(1);
      at = end + 1;
    }
    return to;
  }

  private static void readLine(Block block, int from, int to, BadLineCounter faults) {
    if (from == to) {
      return;
    }
    if (to - from > Trace.MAX_LINE_BYTES) {
      faults.add(block.line(), () -> Trace.TOO_LONG);
      return;
    }
    byte[] bytes = block.bytes();
    int bracket = from;
    long nanos = TimestampParser.NO_TIME;
    int after = 0;
    while (nanos == TimestampParser.NO_TIME) {
      bracket = find(bytes, bracket + 1, to, '[');
      int closing = bracket < 0 ? -1 : find(bytes, bracket, Math.min(to, bracket + 40), ']');
      if (bracket < 0) {
        faults.add(block.line(), faultOf(bytes, from, to, "no [time] before a \"request\" in"));
        return;
      }
      after = closing + 2;
      if (bytes[bracket - 1] == ' '
          && closing > 0
          && after < to
          && bytes[closing + 1] == ' '
          && bytes[after] == '"') {
        nanos =
            closing - bracket - 1 == TimestampParser.LOG_LENGTH && bytes[bracket + 3] == '/'
                ? TimestampParser.ofLog(bytes, bracket + 1)
                : TimestampParser.ofIso(bytes, bracket + 1, closing);
      }
    }
    if (nanos == TimestampParser.OUT_OF_RANGE) {
      faults.add(block.line(), faultOf(bytes, bracket, to, "time is not between 1961 and 2099 in"));
      return;
    }
    if (!readClient(block, from, bracket - 1)) {
      faults.add(
          block.line(), faultOf(bytes, from, to, "no address, identity and user before the time:"));
      return;
    }
    int requestTo = closingQuote(bytes, after + 1, to);
    if (requestTo < 0 || !readRequest(block, after + 1, requestTo)) {
      int end = requestTo < 0 ? to : requestTo;
      faults.add(block.line(), faultOf(bytes, after + 1, end, "no HTTP request line:"));
      return;
    }
    if (!readRest(block, requestTo + 1, to)) {
      faults.add(
          block.line(), faultOf(bytes, requestTo + 1, to, "no status, or cut off, after request:"));
      return;
    }
    block.add(block.line(), nanos, 1);
  }

  private static Supplier<String> faultOf(byte[] bytes, int from, int to, String what) {
    return () -> what + " '" + Excerpt.of(bytes, from, to) + "'";
  }

  /** {@code ip identity user}, or {@code host ip identity user}. */
  private static boolean readClient(Block block, int from, int to) {
    byte[] bytes = block.bytes();
    int first = find(bytes, from, to, ' ');
    int second = first < 0 ? -1 : find(bytes, first + 1, to, ' ');
    if (second < 0) {
      return false;
    }
    int third = find(bytes, second + 1, to, ' ');
    boolean hasHost =
        third >= 0 && !isAddress(bytes, from, first) && isAddress(bytes, first + 1, second);
    if (hasHost) {
      block.cell(HOST, from, first);
      block.cell(IP, first + 1, second);
      cellOfUser(block, third + 1, to);
    } else {
      block.cell(HOST, 0, 0);
      block.cell(IP, from, first);
      cellOfUser(block, second + 1, to);
    }
    return true;
  }

  private static void cellOfUser(Block block, int from, int to) {
    boolean isEmpty = to - from == 2 && block.bytes()[from] == '"';
    block.cell(USER, from, isEmpty ? from : to);
  }

  /** Whether it looks like an address rather than a name. */
  private static boolean isAddress(byte[] bytes, int from, int to) {
    boolean hasMark = false;
    for (int i = from; i < to; i++) {
      byte b = bytes[i];
      boolean isMark = b == '.' || b == ':';
      hasMark |= isMark;
      if (!isMark && Character.digit(b, 16) < 0) {
        return false;
      }
    }
    return hasMark;
  }

  /** {@code GET /path?query HTTP/1.1}. */
  private static boolean readRequest(Block block, int from, int to) {
    byte[] bytes = block.bytes();
    int method = from;
    while (method < to && isTokenByte(bytes[method])) {
      method++;
    }
    if (method == from || method >= to || bytes[method] != ' ') {
      return false;
    }
    int target = method + 1;
    int mark = -1;
    int end = target;
    while (end < to && bytes[end] != ' ') {
      if (bytes[end] == '?' && mark < 0) {
        mark = end;
      }
      end++;
    }
    if (end == target
        || to - end < 6
        || bytes[end + 1] != 'H'
        || bytes[end + 2] != 'T'
        || bytes[end + 3] != 'T'
        || bytes[end + 4] != 'P'
        || bytes[end + 5] != '/'
        || find(bytes, end + 6, to, ' ') >= 0) {
      return false;
    }
    block.cell(METHOD, from, method);
    block.cell(QUERY, mark < 0 ? end : mark + 1, end);
    readTarget(block, target, mark < 0 ? end : mark);
    return true;
  }

  /** {@code /path}, {@code http://host/path}, or no path at all: {@code *} and {@code host:443}. */
  private static void readTarget(Block block, int from, int to) {
    byte[] bytes = block.bytes();
    if (bytes[from] == '/') {
      block.cell(PATH, from, to);
      return;
    }
    int slashes = find(bytes, from, Math.min(to, from + 8), '/');
    if (slashes <= from + 1
        || slashes + 2 >= to
        || bytes[slashes - 1] != ':'
        || bytes[slashes + 1] != '/') {
      block.cell(PATH, 0, 0);
      return;
    }
    int path = find(bytes, slashes + 2, to, '/');
    int hostTo = path < 0 ? to : path;
    block.cell(HOST, slashes + 2, hostTo);
    if (path < 0) {
      block.cell(PATH, slashes, slashes + 1); // the root path, represented by an existing slash
    } else {
      block.cell(PATH, path, to);
    }
  }

  /** {@code 200 2326 "referer" "agent" …}; only the status is required. */
  private static boolean readRest(Block block, int from, int to) {
    byte[] bytes = block.bytes();
    if (from >= to || bytes[from] != ' ') {
      return false;
    }
    int status = find(bytes, from + 1, to, ' ');
    int statusTo = status < 0 ? to : status;
    if (!isStatus(bytes, from + 1, statusTo)) {
      return false;
    }
    block.cell(STATUS, from + 1, statusTo);
    block.cell(REFERER, 0, 0);
    block.cell(USER_AGENT, 0, 0);
    int size = status < 0 ? -1 : find(bytes, status + 1, to, ' ');
    int referer = quoted(block, REFERER, size, to);
    int agent = referer > 0 ? quoted(block, USER_AGENT, referer, to) : referer;
    return agent != CUT;
  }

  private static final int CUT = -2;

  /**
   * A quoted cell after the space at {@code space}, if there is one.
   *
   * @return the position of the space after it; {@link #CUT} if the quote is not closed; −1 if
   *     there is no quoted cell
   */
  private static int quoted(Block block, int cell, int space, int to) {
    byte[] bytes = block.bytes();
    if (space < 0 || space + 1 >= to || bytes[space] != ' ' || bytes[space + 1] != '"') {
      return -1;
    }
    int end = closingQuote(bytes, space + 2, to);
    if (end < 0) {
      return CUT;
    }
    block.cell(cell, space + 2, end);
    return end + 1 < to ? end + 1 : -1;
  }

  private static boolean isStatus(byte[] bytes, int from, int to) {
    if (to - from == 1 && bytes[from] == '-') {
      return true;
    }
    for (int i = from; i < to; i++) {
      if (bytes[i] < '0' || bytes[i] > '9') {
        return false;
      }
    }
    return to - from == 3;
  }

  private static int closingQuote(byte[] bytes, int from, int to) {
    for (int i = from; i < to; i++) {
      if (bytes[i] == '"') {
        return i;
      }
      if (bytes[i] == '\\') {
        i++;
      }
    }
    return -1;
  }

  private static int find(byte[] bytes, int from, int to, char sought) {
    for (int i = from; i < to; i++) {
      if (bytes[i] == sought) {
        return i;
      }
    }
    return -1;
  }

  private static boolean isTokenByte(byte b) {
    return (b >= 'A' && b <= 'Z')
        || (b >= 'a' && b <= 'z')
        || (b >= '0' && b <= '9')
        || "!#$%&'*+-.^_`|~".indexOf(b) >= 0;
  }
}
