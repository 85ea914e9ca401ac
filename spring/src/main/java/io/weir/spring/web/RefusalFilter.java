package io.weir.spring.web;

import io.weir.rules.http.Cors;
import io.weir.servlet.WeirFilter;
import io.weir.spring.RateLimitExceededException;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Sends the response for refused method calls that no exception handler covers: in handler
 * functions and filters.
 */
public record RefusalFilter(Cors cors) implements Filter {
  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    try {
      chain.doFilter(request, response);
    } catch (IOException | ServletException | RuntimeException e) {
      RateLimitExceededException refused = refused(e);
      if (refused == null
          || response.isCommitted()
          || !(request instanceof HttpServletRequest http)
          || !(response instanceof HttpServletResponse httpResponse)) {
        throw e;
      }
      WeirFilter.send(refused.answer(http.getHeader("Accept")), cors, http, httpResponse);
    }
  }

  /** Unwraps exceptions of the container and of Spring. */
  private static @Nullable RateLimitExceededException refused(@Nullable Throwable thrown) {
    if (thrown instanceof RateLimitExceededException refused) {
      return refused;
    }
    return thrown instanceof ServletException ? refused(thrown.getCause()) : null;
  }
}
