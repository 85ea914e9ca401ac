package io.weir.server.gateway;

import io.weir.field.BareItem.Text;
import io.weir.field.BareItem.Whole;
import io.weir.field.FieldMember;
import io.weir.field.FieldMember.Item;
import io.weir.field.StructuredFieldReader;
import io.weir.rules.http.Header;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Merges the limit headers of the gateway and of the server, so that a client that respects the
 * result respects both limits.
 *
 * <ul>
 *   <li>{@code RateLimit} and {@code RateLimit-Policy} are lists (RFC 9651), which are joined. Of
 *       two items with the same name, the smaller one is kept. A list of the server that is not
 *       valid is dropped, as any client must drop it.
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
    List<Header> merged = new ArrayList<>(ours.size() + plain.size());
    for (Header header : ours) {
      switch (HeaderKind.of(header.name())) {
        case RATE_LIMIT -> merged.add(new Header(header.name(), joined(header, rateLimit, "r")));
        case RATE_LIMIT_POLICY ->
            merged.add(new Header(header.name(), joined(header, policy, "q")));
        default -> {
          if (!areTheirs || !isPlain(header)) {
            merged.add(header);
          }
        }
      }
    }
    for (Header header : plain) {
      boolean isWait = header.name().equalsIgnoreCase(WAIT);
      if (areTheirs || isWait || !contains(ours, header.name())) {
        merged.add(header);
      }
    }
    addIfAbsent(merged, "RateLimit-Policy", policy);
    addIfAbsent(merged, "RateLimit", rateLimit);
    return merged;
  }

  private static boolean isPlain(Header header) {
    return header.name().regionMatches(true, 0, PREFIX, 0, PREFIX.length());
  }

  private static boolean contains(List<Header> headers, String name) {
    return headers.stream().anyMatch(header -> header.name().equalsIgnoreCase(name));
  }

  private static void addIfAbsent(List<Header> merged, String name, @Nullable String value) {
    if (value != null && !contains(merged, name)) {
      merged.add(new Header(name, value));
    }
  }

  private static long remaining(List<Header> headers) {
    for (Header header : headers) {
      if (header.name().equalsIgnoreCase(REMAINING)) {
        return number(header.value().strip());
      }
    }
    return Long.MAX_VALUE;
  }

  /** Joins both lists; ignores the server's value if it is malformed. */
  private static String joined(Header our, @Nullable String their, String amount) {
    Map<String, Item> items = new LinkedHashMap<>();
    if (their == null || !read(our.value(), amount, items) || !read(their, amount, items)) {
      return our.value();
    }
    return items.values().stream().map(Item::text).collect(Collectors.joining(", "));
  }

  /** Adds the items of a list such as {@code "a";r=1;t=2, "b";r=3}; false if it is malformed. */
  private static boolean read(String list, String amount, Map<String, Item> items) {
    Optional<List<FieldMember>> members = StructuredFieldReader.list(list);
    if (members.isEmpty()) {
      return false;
    }
    for (FieldMember member : members.get()) {
      if (!(member instanceof Item item) || !(item.value() instanceof Text name)) {
        return false;
      }
      items.merge(
          name.value(),
          item,
          (one, other) -> amount(other, amount) < amount(one, amount) ? other : one);
    }
    return true;
  }

  /** The amount of an item; {@link Long#MAX_VALUE} if it has none that a client would accept. */
  private static long amount(Item item, String parameter) {
    return item.parameters().get(parameter) instanceof Whole amount && amount.value() >= 0
        ? amount.value()
        : Long.MAX_VALUE;
  }

  /** The number at the beginning; {@link Long#MAX_VALUE} if there are no digits. */
  private static long number(String text) {
    int end = 0;
    while (end < text.length() && end < 18 && Character.digit(text.charAt(end), 10) >= 0) {
      end++;
    }
    return end == 0 ? Long.MAX_VALUE : Long.parseLong(text.substring(0, end));
  }
}
