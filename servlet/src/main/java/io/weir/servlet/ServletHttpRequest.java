package io.weir.servlet;

import io.weir.rules.AttributeSource;
import io.weir.rules.http.HttpFields;
import io.weir.rules.http.RequestTarget;
import io.weir.rules.http.TrustedProxies;
import io.weir.rules.match.Address;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The head of a request as rules see it. Attributes set by the application take precedence over the
 * request, even when null: a header must not stand in for a missing login.
 *
 * @param sent the container's request
 * @param target path and query in the form that the gateway forwards; see {@link RequestTarget}
 * @param attributes attributes set by the application
 */
record ServletHttpRequest(
    HttpServletRequest request,
    HttpServletRequest sent,
    String target,
    @Nullable String host,
    TrustedProxies trusted,
    Map<String, Function<? super HttpServletRequest, @Nullable String>> attributes)
    implements HttpFields {
  @Override
  public String method() {
    return request.getMethod();
  }

  /** Determined only when a rule needs it. */
  @Override
  public String ip() {
    String remote = sent.getRemoteAddr();
    Address peer = remote == null ? null : Address.parse(remote);
    if (peer == null) {
      return TrustedProxies.UNKNOWN;
    }
    return trusted.trusts(peer)
        ? trusted.client(peer, all(sent, "X-Forwarded-For")).toString()
        : peer.toString();
  }

  @Override
  public @Nullable String attribute(String name) {
    Function<? super HttpServletRequest, @Nullable String> source = attributes.get(name);
    if (source != null) {
      return source.apply(request);
    }
    return name.equals("path") ? RequestTarget.path(target) : HttpFields.super.attribute(name);
  }

  @Override
  public @Nullable String attribute(String name, AttributeSource.Field field) {
    Function<? super HttpServletRequest, @Nullable String> source = attributes.get(name);
    return source == null ? HttpFields.super.attribute(name, field) : source.apply(request);
  }

  @Override
  public List<String> values(String header) {
    return all(request, header);
  }

  @Override
  public Iterator<String> headerNames() {
    Enumeration<String> names = request.getHeaderNames();
    return names == null ? Collections.emptyIterator() : names.asIterator();
  }

  /** Avoids a list, since almost every header is sent once. */
  @Override
  public @Nullable String header(String name) {
    Enumeration<String> values = request.getHeaders(name);
    if (values == null || !values.hasMoreElements()) {
      return null;
    }
    String first = values.nextElement();
    return values.hasMoreElements()
        ? HttpFields.super.header(name)
        : HttpFields.withoutBlanks(first);
  }

  /** All values of a header, in order. */
  static List<String> all(HttpServletRequest request, String header) {
    Enumeration<String> values = request.getHeaders(header);
    return values == null || !values.hasMoreElements() ? List.of() : Collections.list(values);
  }
}
