package io.weir.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.rules.http.Answer;
import io.weir.rules.http.Header;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.server.ServerWebExchange;

/**
 * Answers for methods that were refused, as a filter would. Before what an application says of all
 * exceptions, which would make an error of the server of it; but after what a controller says
 * itself.
 */
final class RateLimitAdvice {
  private RateLimitAdvice() {}

  private static ResponseEntity<byte[]> answer(
      RateLimitExceededException refused, @Nullable String accept) {
    Answer answer = refused.answer(accept);
    HttpHeaders headers = new HttpHeaders();
    for (Header each : answer.headers()) {
      headers.set(each.name(), each.value());
    }
    return ResponseEntity.status(answer.status())
        .headers(headers)
        .body(answer.body().getBytes(UTF_8));
  }

  /** For Spring MVC. */
  @ControllerAdvice
  @Order(0)
  static final class OnServlets {
    @ExceptionHandler(RateLimitExceededException.class)
    ResponseEntity<byte[]> refused(RateLimitExceededException refused, WebRequest request) {
      return answer(refused, request.getHeader("Accept"));
    }
  }

  /** For WebFlux. */
  @ControllerAdvice
  @Order(0)
  static final class OnWebFlux {
    @ExceptionHandler(RateLimitExceededException.class)
    ResponseEntity<byte[]> refused(RateLimitExceededException refused, ServerWebExchange exchange) {
      return answer(refused, exchange.getRequest().getHeaders().getFirst("Accept"));
    }
  }
}
