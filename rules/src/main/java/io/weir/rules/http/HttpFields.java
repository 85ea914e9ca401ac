package io.weir.rules.http;

import io.weir.rules.AttributeSource;
import io.weir.rules.Request;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP request, in any representation. Only fields that rules use are read. Such a field has one
 * form. The request is malformed if servers may read another value than the rules, because the
 * field was sent twice or has a lookalike name.
 */
public interface HttpFields extends Request {
  /** The method. */
  String method();

  /** The path as it was sent, with the query if there is one. */
  String target();

  /** The caller's address. */
  @Nullable String ip();

  /** The requested host; null: use the {@code Host} header. */
  @Nullable String host();

  /** All values of a header in their order; the case of its name is ignored. */
  List<String> values(String header);

  /** The names of all headers, in any case; names may repeat. */
  Iterator<? extends CharSequence> headerNames();

  @Override
  default @Nullable String attribute(String name) {
    return switch (name) {
      case "ip" -> ip();
      case "method" -> method();
      case "path" -> target().substring(0, endOfPath());
      case "host" -> host() == null ? header("Host") : host();
      default -> null;
    };
  }

  @Override
  default @Nullable String attribute(String name, AttributeSource.Field field) {
    return switch (field.kind()) {
      case HEADER -> value(field.name());
      case COOKIE -> Cookies.value(values("Cookie"), field.name());
      case QUERY -> parameter(field.name());
    };
  }

  /** The value of a header; the case of its name is ignored. Null if it was not sent. */
  default @Nullable String header(String name) {
    FieldReader header = new FieldReader("header", name);
    for (String value : values(name)) {
      header.found(withoutBlanks(value));
    }
    return header.value();
  }

  /** The normalised value of a header that rules use. */
  private @Nullable String value(String header) {
    if (hasPunctuation(header)) {
      FieldReader wanted = new FieldReader("header", header);
      for (var names = headerNames(); names.hasNext(); ) {
        CharSequence name = names.next();
        if (name.length() == header.length() && !header.equalsIgnoreCase(name.toString())) {
          wanted.requireOther(name);
        }
      }
    }
    String value = header(header);
    if (value == null) {
      return null;
    }
    requireVisible(value, header);
    return Credentials.isIn(header) ? Credentials.canonical(value) : value;
  }

  /**
   * Servers read other bytes as Latin-1, as UTF-8 or not at all, and some leave out what they then
   * take for a blank: in Python and JavaScript, {@code k} and a no-break space are {@code k}.
   */
  private static void requireVisible(String value, String header) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if ((c < ' ' && c != '\t') || c >= 0x7f) {
        throw new FieldReader("header", header)
            .refusal("has a byte that is not visible ASCII; rules use it, so encode it");
      }
    }
  }

  /** The value of a header without what HTTP calls blank around it: spaces and tabs. */
  static String withoutBlanks(String value) {
    int start = 0;
    int end = value.length();
    while (start < end && isBlank(value.charAt(start))) {
      start++;
    }
    while (end > start && isBlank(value.charAt(end - 1))) {
      end--;
    }
    return value.substring(start, end);
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }

  /** Whether another name can look like it; case is ignored anyway. */
  private static boolean hasPunctuation(String header) {
    return !header.chars().allMatch(Character::isLetterOrDigit);
  }

  private @Nullable String parameter(String name) {
    int query = endOfPath();
    return query == target().length() ? null : Query.parameter(target().substring(query + 1), name);
  }

  private int endOfPath() {
    int query = target().indexOf('?');
    return query < 0 ? target().length() : query;
  }
}
