package io.weir.spring.web;

import io.weir.rules.http.RequestTarget;
import io.weir.rules.match.MalformedRequestException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;

/** A request with dot segments and double slashes resolved, as the container resolves them. */
final class NormalizedPathRequest extends HttpServletRequestWrapper {
  private final String uri;

  private NormalizedPathRequest(HttpServletRequest request, String uri) {
    super(request);
    this.uri = uri;
  }

  /**
   * The request, wrapped if there is something to resolve. The context path stays, because code
   * that routes by the rest removes it.
   *
   * @throws MalformedRequestException if the path is ambiguous
   */
  static HttpServletRequest of(HttpServletRequest request, boolean encodedSlashes) {
    String uri = request.getRequestURI();
    String context = request.getContextPath();
    if (uri == null || context == null || !isWithin(uri, context)) {
      return request;
    }
    String within = uri.substring(context.length());
    String resolved = RequestTarget.of(within, encodedSlashes);
    return resolved.equals(within)
        ? request
        : new NormalizedPathRequest(request, context + resolved);
  }

  private static boolean isWithin(String uri, String context) {
    return uri.startsWith(context) && uri.startsWith("/", context.length());
  }

  @Override
  public String getRequestURI() {
    return uri;
  }

  @Override
  public StringBuffer getRequestURL() {
    StringBuffer url = super.getRequestURL();
    int end = url.length() - super.getRequestURI().length();
    if (end > 0) {
      url.setLength(end);
      url.append(uri);
    }
    return url;
  }
}
