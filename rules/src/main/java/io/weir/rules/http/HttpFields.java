package io.weir.rules.http;

import io.weir.rules.AttributeSource;
import io.weir.rules.Request;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request over HTTP, wherever its fields are kept: only those are looked at that rules ask for. A
 * field that rules use has one form; the request is malformed if servers may find another value of
 * it than rules, because it was sent twice or under a name that looks like it.
 */
public interface HttpFields extends Request {
  /** The method. */
  String method();

  /** The path as it was sent, with the query if there is one. */
  String target();

  /** The caller's address. */
  @Nullable String ip();

  /** The host that was asked for; null: what the {@code Host} header says. */
  @Nullable String host();

  /** All values of a header, whatever the case of its name, in their order. */
  List<String> values(String header);

  /** The names of all headers, in any case; one may be there several times. */
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

  /** The value of a header, whatever the case of its name; null if it was not sent. */
  default @Nullable String header(String name) {
    FieldReader header = new FieldReader("header", name);
    for (String value : values(name)) {
      header.found(value.strip());
    }
    return header.value();
  }

  /** The value of a header that rules use, in its one form. */
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

  /** Whether another name can look like it: the case of letters means nothing. */
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
