package io.weir.rules.http;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP request with all its headers. Immutable.
 *
 * @param target the path as it was sent, with the query if there is one
 * @param ip the caller's address
 * @param host the requested host; null: use the {@code Host} header
 */
public record HttpRequest(
    String method,
    String target,
    List<Header> headers,
    @Nullable String ip,
    @Nullable String host,
    long cost)
    implements HttpFields {
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

  /** Copies the list. */
  public HttpRequest {
    headers = List.copyOf(headers);
  }

  /** Whether {@code text} is a valid method or header name. */
  public static boolean isToken(String text) {
    return TOKEN.matcher(text).matches();
  }

  @Override
  public List<String> values(String name) {
    List<String> values = List.of();
    for (Header header : headers) {
      if (header.name().equalsIgnoreCase(name)) {
        values = values.isEmpty() ? new ArrayList<>(1) : values;
        values.add(header.value());
      }
    }
    return values;
  }

  @Override
  public Iterator<String> headerNames() {
    return headers.stream().map(Header::name).iterator();
  }
}
