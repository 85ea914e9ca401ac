package io.weir.spring.web;

import io.weir.rules.http.Cors;
import io.weir.rules.http.DecisionResponses;
import io.weir.rules.http.RequestTarget;
import io.weir.rules.match.MalformedRequestException;
import org.springframework.core.Ordered;
import org.springframework.http.server.RequestPath;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Resolves dot segments and double slashes before other filters read the path, as the gateway does
 * before it forwards. Otherwise the application would route by a different path than rules see.
 */
public record PathNormalizingWebFilter(int order, boolean encodedSlashes, Cors cors)
    implements WebFilter, Ordered {
  @Override
  public int getOrder() {
    return order;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    return RequestEventLoop.asTask(
        Mono.defer(() -> resolve(exchange, chain)), exchange.getRequest());
  }

  private Mono<Void> resolve(ServerWebExchange exchange, WebFilterChain chain) {
    ServerHttpRequest request = exchange.getRequest();
    RequestPath path = request.getPath();
    String within = path.pathWithinApplication().value();
    String resolved;
    try {
      resolved = within.isEmpty() ? within : RequestTarget.of(within, encodedSlashes);
    } catch (MalformedRequestException e) {
      return WebFluxResponseWriter.send(
          DecisionResponses.badRequest(
              String.valueOf(e.getMessage()), request.getHeaders().getFirst("Accept")),
          exchange,
          cors);
    }
    return chain.filter(
        resolved.equals(within)
            ? exchange
            : exchange
                .mutate()
                .request(to -> to.path(path.contextPath().value() + resolved))
                .build());
  }
}
