package io.weir.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.rules.http.Cors;
import io.weir.rules.http.DirectResponse;
import io.weir.rules.http.Header;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** Writes rate limit headers and refusals, on WebFlux. */
final class WebFluxResponseWriter {
  private static final String EXPOSED = HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS;

  private WebFluxResponseWriter() {}

  /** Adds headers to the application's response. */
  static void addHeaders(List<Header> headers, ServerHttpResponse response) {
    for (Header each : headers) {
      response.getHeaders().set(each.name(), each.value());
    }
    List<String> exposed = response.getHeaders().getAccessControlExposeHeaders();
    if (!headers.isEmpty() && isAllowed(response)) {
      response.getHeaders().set(EXPOSED, Cors.exposed(String.join(", ", exposed), headers));
    }
  }

  private static boolean isAllowed(ServerHttpResponse response) {
    return response.getHeaders().getAccessControlAllowOrigin() != null;
  }

  private static void allow(
      List<Header> headers, @Nullable String origin, ServerHttpResponse response, Cors cors) {
    if (isAllowed(response)) {
      return;
    }
    for (Header each : cors.of(headers, origin)) {
      if (each.name().equals(HttpHeaders.VARY)) {
        response.getHeaders().add(each.name(), each.value());
      } else {
        response.getHeaders().set(each.name(), each.value());
      }
    }
  }

  /**
   * Writes the response; does nothing if it is committed already.
   *
   * @param cors the web origins that may read it; CORS headers that are present already take
   *     precedence
   */
  static Mono<Void> send(DirectResponse directResponse, ServerWebExchange exchange, Cors cors) {
    ServerHttpResponse response = exchange.getResponse();
    if (!response.setStatusCode(HttpStatusCode.valueOf(directResponse.status()))) {
      return Mono.empty();
    }
    byte[] body = directResponse.body().getBytes(UTF_8);
    addHeaders(directResponse.headers(), response);
    allow(
        directResponse.headers(),
        exchange.getRequest().getHeaders().getFirst("Origin"),
        response,
        cors);
    response.getHeaders().setContentLength(body.length);
    return HttpMethod.HEAD.equals(exchange.getRequest().getMethod())
        ? response.setComplete()
        : response.writeWith(Mono.fromSupplier(() -> response.bufferFactory().wrap(body)));
  }
}
