package io.weir.spring;

import org.springframework.boot.WebApplicationType;

/** {@link WebSuite} on a servlet container. */
class ServletTest extends WebSuite {
  @Override
  WebApplicationType type() {
    return WebApplicationType.SERVLET;
  }
}
