package io.weir.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.rules.http.Answer;
import io.weir.rules.http.Header;
import java.util.List;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Writes what is told of limits, on WebFlux. */
final class ExchangeReply {
  private ExchangeReply() {}

  /** Adds to a response that the application makes. */
  static void tell(List<Header> headers, ServerHttpResponse response) {
    for (Header each : headers) {
      response.getHeaders().set(each.name(), each.value());
    }
  }

  /** Answers; nothing if somebody has answered already. */
  static Mono<Void> send(Answer answer, ServerWebExchange exchange) {
    ServerHttpResponse response = exchange.getResponse();
    if (!response.setStatusCode(HttpStatusCode.valueOf(answer.status()))) {
      return Mono.empty();
    }
    byte[] body = answer.body().getBytes(UTF_8);
    tell(answer.headers(), response);
    response.getHeaders().setContentLength(body.length);
    return HttpMethod.HEAD.equals(exchange.getRequest().getMethod())
        ? response.setComplete()
        : response.writeWith(Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
  }
}
