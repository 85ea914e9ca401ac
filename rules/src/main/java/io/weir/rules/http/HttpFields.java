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
      header.found(value.strip());
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
    return value == null || !Credentials.isIn(header) ? value : Credentials.canonical(value);
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
