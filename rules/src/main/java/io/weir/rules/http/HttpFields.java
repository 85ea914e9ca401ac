package io.weir.rules.http;

import io.weir.rules.AttributeSource;
import io.weir.rules.Request;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request over HTTP, wherever its fields are kept: only those are looked at that rules ask for. A
 * field that rules use and that was sent twice makes it malformed: servers differ in which of the
 * two they take.
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
      case HEADER -> header(field.name());
      case COOKIE -> Cookies.value(values("Cookie"), field.name());
      case QUERY -> parameter(field.name());
    };
  }

  /** The value of a header, whatever the case of its name; null if it was not sent. */
  default @Nullable String header(String name) {
    Once once = new Once("header", name);
    for (String value : values(name)) {
      once.found(value.strip());
    }
    return once.value();
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
