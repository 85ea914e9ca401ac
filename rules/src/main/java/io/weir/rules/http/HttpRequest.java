package io.weir.rules.http;

import io.weir.rules.AttributeSource;
import io.weir.rules.Request;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A request as it came over HTTP. A field that rules use and that was sent twice makes it
 * malformed: servers differ in which of the two they take.
 *
 * @param target the path as it was sent, with the query if there is one
 * @param ip the caller's address
 * @param host the host that was asked for; null: what the {@code Host} header says
 */
public record HttpRequest(
    String method,
    String target,
    List<Header> headers,
    @Nullable String ip,
    @Nullable String host,
    long cost)
    implements Request {
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

  /** Copies the list. */
  public HttpRequest {
    headers = List.copyOf(headers);
  }

  /** Whether {@code text} can be a method, or the name of a header. */
  public static boolean isToken(String text) {
    return TOKEN.matcher(text).matches();
  }

  @Override
  public @Nullable String attribute(String name) {
    return switch (name) {
      case "ip" -> ip;
      case "method" -> method;
      case "path" -> target.substring(0, endOfPath());
      case "host" -> host == null ? header("Host") : host;
      default -> null;
    };
  }

  private int endOfPath() {
    int query = target.indexOf('?');
    return query < 0 ? target.length() : query;
  }

  @Override
  public @Nullable String attribute(String name, AttributeSource.Field field) {
    return switch (field.kind()) {
      case HEADER -> header(field.name());
      case COOKIE -> cookie(field.name());
      case QUERY -> parameter(field.name());
    };
  }

  /** The value of a header, whatever the case of its name; null if it was not sent. */
  public @Nullable String header(String name) {
    Once once = new Once("header", name);
    for (Header header : headers) {
      if (header.name().equalsIgnoreCase(name)) {
        once.found(header.value().strip());
      }
    }
    return once.value();
  }

  private @Nullable String cookie(String name) {
    Once once = new Once("cookie", name);
    for (Header header : headers) {
      if (header.name().equalsIgnoreCase("Cookie")) {
        for (String pair : header.value().split(";", -1)) {
          int equals = pair.indexOf('=');
          if (equals >= 0 && pair.substring(0, equals).strip().equals(name)) {
            once.found(unquoted(pair.substring(equals + 1).strip()));
          }
        }
      }
    }
    return once.value();
  }

  /** Many servers leave the quotes out, so that with and without them is the same cookie. */
  private static String unquoted(String value) {
    boolean isQuoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
    return isQuoted ? value.substring(1, value.length() - 1) : value;
  }

  private @Nullable String parameter(String name) {
    int query = endOfPath();
    return query == target.length() ? null : Query.parameter(target.substring(query + 1), name);
  }
}
