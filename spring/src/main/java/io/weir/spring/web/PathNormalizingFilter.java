package io.weir.spring.web;

import io.weir.rules.match.MalformedRequestException;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;

/**
 * Resolves dot segments and double slashes before other filters read the path, as the gateway does
 * before it forwards. Otherwise Spring would route by a different path than the container and rules
 * see.
 */
public record PathNormalizingFilter(boolean encodedSlashes) implements Filter {
  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    chain.doFilter(request instanceof HttpServletRequest http ? resolved(http) : request, response);
  }

  /** Passes an ambiguous path on; later filters respond with 400. */
  private HttpServletRequest resolved(HttpServletRequest request) {
    try {
      return NormalizedPathRequest.of(request, encodedSlashes);
    } catch (MalformedRequestException e) {
      return request;
    }
  }
}
