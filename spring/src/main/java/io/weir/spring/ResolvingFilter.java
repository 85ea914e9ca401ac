package io.weir.spring;

import io.weir.rules.http.Answers;
import io.weir.rules.match.MalformedRequestException;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * Resolves dot segments and double slashes before anybody looks at a path, as the gateway does
 * before it forwards: Spring would route by another path than the container and rules see.
 */
record ResolvingFilter(boolean encodedSlashes) implements Filter {
  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (!(request instanceof HttpServletRequest http)
        || !(response instanceof HttpServletResponse answer)) {
      chain.doFilter(request, response);
      return;
    }
    HttpServletRequest resolved;
    try {
      resolved = ResolvedRequest.of(http, encodedSlashes);
    } catch (MalformedRequestException e) {
      String reason = String.valueOf(e.getMessage());
      ServletReply.send(Answers.badRequest(reason, http.getHeader("Accept")), http, answer);
      return;
    }
    chain.doFilter(resolved, response);
  }
}
