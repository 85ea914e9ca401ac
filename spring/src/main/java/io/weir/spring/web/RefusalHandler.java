package io.weir.spring.web;

import io.weir.rules.http.Cors;
import io.weir.spring.RateLimitExceededException;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/**
 * Sends the response for refused method calls that no exception handler covers: in handler
 * functions and filters. Ordered before Spring Boot's handler, which would respond with 500.
 */
public record RefusalHandler(Cors cors) implements WebExceptionHandler, Ordered {
  private static final int BEFORE_SPRING_BOOT = -2;

  @Override
  public int getOrder() {
    return BEFORE_SPRING_BOOT;
  }

  @Override
  public Mono<Void> handle(ServerWebExchange exchange, Throwable thrown) {
    if (!(thrown instanceof RateLimitExceededException refused)
        || exchange.getResponse().isCommitted()) {
      return Mono.error(thrown);
    }
    String accept = exchange.getRequest().getHeaders().getFirst("Accept");
    return WebFluxResponseWriter.send(refused.answer(accept), exchange, cors);
  }
}
