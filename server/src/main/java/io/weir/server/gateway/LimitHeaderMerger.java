package io.weir.server.gateway;

import io.weir.rules.http.Header;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Merges the limit headers of the gateway and of the server, so that a client that respects the
 * result respects both limits.
 *
 * <ul>
 *   <li>{@code RateLimit} and {@code RateLimit-Policy} are lists, which are joined. Of two items
 *       with the same name, the smaller one is kept.
 *   <li>{@code X-RateLimit-*} can report only one limit: the one with less remaining.
 * </ul>
 */
final class LimitHeaderMerger {
  private static final String REMAINING = "X-RateLimit-Remaining";
  private static final String PREFIX = "X-RateLimit-";
  private static final String WAIT = "X-RateLimit-Retry-After";

  private final List<Header> ours;
  private final List<Header> plain = new ArrayList<>(4);
  private @Nullable String rateLimit;
  private @Nullable String policy;

  /** Starts with the gateway's headers; {@link #take} adds the server's. */
  LimitHeaderMerger(List<Header> ours) {
    this.ours = ours;
  }

  /** Adds a limit header of the server. */
  void take(HeaderKind kind, String name, String value) {
    switch (kind) {
      case RATE_LIMIT -> rateLimit = RequestHeaderFilter.joined(rateLimit, value);
      case RATE_LIMIT_POLICY -> policy = RequestHeaderFilter.joined(policy, value);
      default -> plain.add(new Header(name, value));
    }
  }

  /** The merged headers. */
  List<Header> headers() {
    boolean areTheirs = remaining(plain) < remaining(ours);
    List<Header> told = new ArrayList<>(ours.size() + plain.size());
    for (Header header : ours) {
      switch (HeaderKind.of(header.name())) {
        case RATE_LIMIT -> told.add(new Header(header.name(), joined(header, rateLimit, ";r=")));
        case RATE_LIMIT_POLICY ->
            told.add(new Header(header.name(), joined(header, policy, ";q=")));
        default -> {
          if (!areTheirs || !isPlain(header)) {
            told.add(header);
          }
        }
      }
    }
    for (Header header : plain) {
      boolean isWait = header.name().equalsIgnoreCase(WAIT);
      if (areTheirs || isWait || !tells(ours, header.name())) {
        told.add(header);
      }
    }
    addIfAbsent(told, "RateLimit-Policy", policy);
    addIfAbsent(told, "RateLimit", rateLimit);
    return told;
  }

  private static boolean isPlain(Header header) {
    return header.name().regionMatches(true, 0, PREFIX, 0, PREFIX.length());
  }

  private static boolean tells(List<Header> headers, String name) {
    return headers.stream().anyMatch(header -> header.name().equalsIgnoreCase(name));
  }

  private static void addIfAbsent(List<Header> told, String name, @Nullable String value) {
    if (value != null && !tells(told, name)) {
      told.add(new Header(name, value));
    }
  }

  private static long remaining(List<Header> headers) {
    for (Header header : headers) {
      if (header.name().equalsIgnoreCase(REMAINING)) {
        return number(header.value().strip(), 0);
      }
    }
    return Long.MAX_VALUE;
  }

  /** Joins both lists; ignores the server's value if it is malformed. */
  private static String joined(Header our, @Nullable String their, String amount) {
    Map<String, String> items = new LinkedHashMap<>();
    if (their == null || !read(our.value(), amount, items) || !read(their, amount, items)) {
      return our.value();
    }
    return String.join(", ", items.values());
  }

  /** Adds the items of a list such as {@code "a";r=1;t=2, "b";r=3}; false if it is malformed. */
  private static boolean read(String list, String amount, Map<String, String> items) {
    int at = 0;
    while (at < list.length()) {
      int name = skipBlanks(list, at);
      int end = endOfName(list, name);
      if (end < 0) {
        return false;
      }
      int next = endOfItem(list, end);
      String item = list.substring(name, next).strip();
      items.merge(
          list.substring(name, end),
          item,
          (one, other) -> amount(other, amount) < amount(one, amount) ? other : one);
      at = next + 1;
    }
    return true;
  }

  private static int skipBlanks(String list, int from) {
    int at = from;
    while (at < list.length() && (list.charAt(at) == ' ' || list.charAt(at) == '\t')) {
      at++;
    }
    return at;
  }

  /** The index after the quote that ends the name; −1 if there is no quoted name. */
  private static int endOfName(String list, int from) {
    if (from >= list.length() || list.charAt(from) != '"') {
      return -1;
    }
    for (int at = from + 1; at < list.length(); at++) {
      char c = list.charAt(at);
      if (c == '\\') {
        at++;
      } else if (c == '"') {
        return at + 1;
      }
    }
    return -1;
  }

  /** The index of the comma after an item, or of the end. */
  private static int endOfItem(String list, int from) {
    boolean isQuoted = false;
    for (int at = from; at < list.length(); at++) {
      char c = list.charAt(at);
      if (c == '\\' && isQuoted) {
        at++;
      } else if (c == '"') {
        isQuoted = !isQuoted;
      } else if (c == ',' && !isQuoted) {
        return at;
      }
    }
    return list.length();
  }

  private static long amount(String item, String parameter) {
    int at = item.indexOf(parameter, endOfName(item, 0));
    return at < 0 ? Long.MAX_VALUE : number(item, at + parameter.length());
  }

  /** The number at {@code from}; {@link Long#MAX_VALUE} if there are no digits. */
  private static long number(String text, int from) {
    int end = from;
    while (end < text.length() && end - from < 18 && Character.digit(text.charAt(end), 10) >= 0) {
      end++;
    }
    return end == from ? Long.MAX_VALUE : Long.parseLong(text.substring(from, end));
  }
}
