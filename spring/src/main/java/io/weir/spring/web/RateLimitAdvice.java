package io.weir.spring.web;

import io.weir.rules.http.Cors;
import io.weir.servlet.WeirFilter;
import io.weir.spring.RateLimitExceededException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Turns refused method calls into responses like those of a filter. Runs before the application's
 * general exception handlers, which would respond with 500, but after handlers within a controller.
 */
public final class RateLimitAdvice {
  private RateLimitAdvice() {}

  /** For Spring MVC. */
  @ControllerAdvice
  @Order(0)
  public static final class OnServlets {
    private final Cors cors;

    public OnServlets(Cors cors) {
      this.cors = cors;
    }

    @ExceptionHandler(RateLimitExceededException.class)
    void refused(
        RateLimitExceededException refused,
        HttpServletRequest request,
        HttpServletResponse response)
        throws IOException {
      WeirFilter.send(refused.answer(request.getHeader("Accept")), cors, request, response);
    }
  }

  /** For WebFlux. */
  @ControllerAdvice
  @Order(0)
  public static final class OnWebFlux {
    private final Cors cors;

    public OnWebFlux(Cors cors) {
      this.cors = cors;
    }

    @ExceptionHandler(RateLimitExceededException.class)
    Mono<Void> refused(RateLimitExceededException refused, ServerWebExchange exchange) {
      String accept = exchange.getRequest().getHeaders().getFirst("Accept");
      return WebFluxResponseWriter.send(refused.answer(accept), exchange, cors);
    }
  }
}
