package io.weir.spring.web;

import io.weir.servlet.WeirFilter;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;

/** The filter of one phase; passes requests on directly if the phase has no rules. */
public record PhaseFilter(WeirFilter filter, Phase phase) implements Filter {
  @Override
  public void init(FilterConfig config) throws ServletException {
    filter.init(config);
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (!phase.isNeeded()) {
      chain.doFilter(request, response);
      return;
    }
    filter.doFilter(request, response, chain);
  }

  @Override
  public void destroy() {
    filter.destroy();
  }
}
