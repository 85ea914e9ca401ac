package io.weir.spring;

import org.springframework.boot.WebApplicationType;

/** {@link WebSuite} on WebFlux. */
class WebFluxTest extends WebSuite {
  @Override
  WebApplicationType type() {
    return WebApplicationType.REACTIVE;
  }
}
