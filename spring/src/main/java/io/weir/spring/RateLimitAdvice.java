package io.weir.spring;

import io.weir.rules.http.Cors;
import io.weir.servlet.WeirFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Answers for methods that were refused, as a filter would. Before what an application says of all
 * exceptions, which would make an error of the server of it; but after what a controller says
 * itself.
 */
final class RateLimitAdvice {
  private RateLimitAdvice() {}

  /** For Spring MVC. */
  @ControllerAdvice
  @Order(0)
  static final class OnServlets {
    private final Cors cors;

    OnServlets(Cors cors) {
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
  static final class OnWebFlux {
    private final Cors cors;

    OnWebFlux(Cors cors) {
      this.cors = cors;
    }

    @ExceptionHandler(RateLimitExceededException.class)
    Mono<Void> refused(RateLimitExceededException refused, ServerWebExchange exchange) {
      String accept = exchange.getRequest().getHeaders().getFirst("Accept");
      return ExchangeReply.send(refused.answer(accept), exchange, cors);
    }
  }
}
