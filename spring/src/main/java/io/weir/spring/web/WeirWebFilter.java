package io.weir.spring.web;

import io.weir.embedded.DelayedRequests;
import io.weir.embedded.FilterAction;
import io.weir.embedded.MultiPhaseRequest;
import io.weir.embedded.RequestGuard;
import io.weir.rules.HeldCharge;
import io.weir.rules.RequestDecision;
import io.weir.rules.http.Cors;
import io.weir.rules.http.DecisionResponses;
import io.weir.rules.http.DirectResponse;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Limits WebFlux requests by the rules of one phase, without blocking. */
public final class WeirWebFilter implements WebFilter, Ordered {
  private static final String DECISION = "io.weir.spring.ruling";
  private static final String COUNT = "io.weir.spring.count";

  /** A store replies or fails long before this timeout. If it does neither, the request passes. */
  private static final long TIMEOUT_SECONDS = 60;

  private final int order;
  private final RequestGuard requestGuard;
  private final WebFluxRequestReader reader;
  private final DelayedRequests delayedRequests;
  private final Cors cors;
  private final Phase phase;

  public WeirWebFilter(
      int order,
      RequestGuard requestGuard,
      WebFluxRequestReader reader,
      DelayedRequests delayedRequests,
      Cors cors,
      Phase phase) {
    this.order = order;
    this.requestGuard = requestGuard;
    this.reader = reader;
    this.delayedRequests = delayedRequests;
    this.cors = cors;
    this.phase = phase;
  }

  @Override
  public int getOrder() {
    return order;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    if (!phase.isNeeded()) {
      return chain.filter(exchange);
    }
    return phase.isLate()
        ? exchange
            .getPrincipal()
            .map(principal -> Optional.ofNullable(Principals.name(principal)))
            .defaultIfEmpty(Optional.empty())
            .flatMap(name -> limit(exchange, chain, name))
        : limit(exchange, chain, Optional.empty());
  }

  private Mono<Void> limit(
      ServerWebExchange exchange, WebFilterChain chain, Optional<String> principal) {
    return Mono.deferContextual(
        context ->
            limit(exchange, OriginalRequest.of(context, exchange.getRequest()), chain, principal));
  }

  private Mono<Void> limit(
      ServerWebExchange exchange,
      ServerHttpRequest received,
      WebFilterChain chain,
      Optional<String> principal) {
    MultiPhaseRequest before = exchange.getAttribute(COUNT);
    MultiPhaseRequest count = requestGuard.parts(before);
    exchange.getAttributes().put(COUNT, count);
    count.begin();
    Mono<Void> limited = limit(exchange, received, chain, principal, count);
    return before == null ? limited.doFinally(any -> count.end()) : limited;
  }

  private Mono<Void> limit(
      ServerWebExchange exchange,
      ServerHttpRequest received,
      WebFilterChain chain,
      Optional<String> principal,
      MultiPhaseRequest count) {
    CompletableFuture<?> decision =
        requestGuard.check(
            () -> reader.read(exchange.getRequest(), received, principal.orElse(null)));
    if (decision.isDone()) {
      return apply(step(decision, exchange, count), exchange, chain);
    }
    CompletableFuture<Boolean> decided =
        decision
            .handle((any, failure) -> true)
            .completeOnTimeout(false, TIMEOUT_SECONDS, TimeUnit.SECONDS);
    Mono<Boolean> completed = Mono.fromFuture(decided).doOnCancel(() -> refundIfDecided(decision));
    return RequestEventLoop.back(completed, received)
        .flatMap(isDecided -> apply(step(decision, exchange, count), exchange, chain));
  }

  /** Refunds a decision that completes after the request was cancelled. */
  @SuppressWarnings("FutureReturnValueIgnored") // the client has disconnected
  private static void refundIfDecided(CompletableFuture<?> decision) {
    decision.thenAccept(
        decided -> {
          if (decided instanceof HeldCharge heldCharge) {
            heldCharge.settle(0);
          }
        });
  }

  private FilterAction step(
      CompletableFuture<?> decision, ServerWebExchange exchange, MultiPhaseRequest count) {
    FilterAction filterAction =
        requestGuard.step(
            decision,
            () -> exchange.getRequest().getHeaders().getFirst("Accept"),
            exchange.<RequestDecision>getAttribute(DECISION));
    count.step(filterAction, phase.isLast());
    return filterAction;
  }

  private Mono<Void> apply(
      FilterAction filterAction, ServerWebExchange exchange, WebFilterChain chain) {
    DirectResponse directResponse = filterAction.directResponse();
    if (directResponse != null) {
      return send(directResponse, exchange);
    }
    FilterAction.Pass pass = (FilterAction.Pass) filterAction;
    WebFluxResponseWriter.addHeaders(pass.limits(), exchange.getResponse());
    exchange.getAttributes().put(DECISION, pass.requestDecision());
    HeldCharge turn = pass.turn();
    return turn == null
        ? chain.filter(exchange)
        : RequestEventLoop.back(ReactiveDelay.await(delayedRequests, turn), exchange.getRequest())
            .flatMap(hasCome -> hasCome ? chain.filter(exchange) : send(busy(exchange), exchange));
  }

  private Mono<Void> send(DirectResponse directResponse, ServerWebExchange exchange) {
    return WebFluxResponseWriter.send(directResponse, exchange, cors);
  }

  private static DirectResponse busy(ServerWebExchange exchange) {
    return DecisionResponses.overloaded(1, exchange.getRequest().getHeaders().getFirst("Accept"));
  }
}
