package io.weir.servlet;

import io.weir.rules.http.Hosts;
import io.weir.rules.http.Methods;
import io.weir.rules.http.RequestTarget;
import io.weir.rules.http.TrustedProxies;
import io.weir.rules.match.MalformedRequestException;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Enumeration;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the heads of requests as the gateway does. The path is read as sent, including the context
 * path, because containers normalize it differently. The body is not touched, so parameters are
 * those of the query only.
 *
 * @param encodedSlashes whether {@code %2F} may be in a path
 * @param attributes attributes set by the application
 */
record ServletRequestReader(
    TrustedProxies trusted,
    boolean encodedSlashes,
    Map<String, Function<? super HttpServletRequest, @Nullable String>> attributes) {
  /**
   * Reads the head of a request.
   *
   * @throws MalformedRequestException if the head is ambiguous
   */
  ServletHttpRequest read(HttpServletRequest request) {
    Methods.requireUsual(request.getMethod());
    HttpServletRequest sent = asSent(request);
    String host = host(sent);
    String query = sent.getQueryString();
    String uri = sent.getRequestURI();
    String target = RequestTarget.of(query == null ? uri : uri + '?' + query, encodedSlashes);
    return new ServletHttpRequest(request, sent, target, host, trusted, attributes);
  }

  /**
   * Unwraps the container's request. Earlier filters may have wrapped it in one that trusts {@code
   * X-Forwarded-Prefix} or {@code X-Forwarded-For} from any client.
   */
  private static HttpServletRequest asSent(HttpServletRequest request) {
    HttpServletRequest sent = request;
    while (sent instanceof ServletRequestWrapper wrapper
        && wrapper.getRequest() instanceof HttpServletRequest inner) {
      sent = inner;
    }
    return sent;
  }

  private static @Nullable String host(HttpServletRequest request) {
    Enumeration<String> hosts = request.getHeaders("Host");
    boolean hasHost = hosts != null && hosts.hasMoreElements();
    String host = hasHost ? hosts.nextElement().strip() : authority(request);
    if (host == null) {
      return null;
    }
    if (hasHost && hosts.hasMoreElements()) {
      throw new MalformedRequestException("the header 'Host' must be sent once");
    }
    if (!Hosts.isHost(host)) {
      throw new MalformedRequestException("the host is no name and no address");
    }
    return host;
  }

  /** The authority of HTTP/2 and HTTP/3; HTTP/1.0 may have none. */
  private static @Nullable String authority(HttpServletRequest request) {
    if (request.getProtocol().startsWith("HTTP/1")) {
      return null;
    }
    String name = request.getServerName();
    return name.indexOf(':') < 0 || name.startsWith("[") ? name : '[' + name + ']';
  }
}
