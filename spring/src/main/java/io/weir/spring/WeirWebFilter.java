package io.weir.spring;

import io.weir.front.Judge;
import io.weir.front.RequestInParts;
import io.weir.front.Step;
import io.weir.front.Turns;
import io.weir.rules.Held;
import io.weir.rules.Ruling;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Answers;
import io.weir.rules.http.Cors;
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
final class WeirWebFilter implements WebFilter, Ordered {
  private static final String RULING = "io.weir.spring.ruling";
  private static final String COUNT = "io.weir.spring.count";

  /** A store answers or gives up long before; if it does neither, the request passes. */
  private static final long LONGEST_SECONDS = 60;

  private final int order;
  private final Judge judge;
  private final ExchangeReader reader;
  private final Turns turns;
  private final Cors cors;
  private final Phase phase;

  WeirWebFilter(
      int order, Judge judge, ExchangeReader reader, Turns turns, Cors cors, Phase phase) {
    this.order = order;
    this.judge = judge;
    this.reader = reader;
    this.turns = turns;
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
            .flatMap(name -> judge(exchange, chain, name))
        : judge(exchange, chain, Optional.empty());
  }

  private Mono<Void> judge(
      ServerWebExchange exchange, WebFilterChain chain, Optional<String> principal) {
    return Mono.deferContextual(
        context -> judge(exchange, Received.of(context, exchange.getRequest()), chain, principal));
  }

  private Mono<Void> judge(
      ServerWebExchange exchange,
      ServerHttpRequest received,
      WebFilterChain chain,
      Optional<String> principal) {
    RequestInParts before = exchange.getAttribute(COUNT);
    RequestInParts count = judge.parts(before);
    exchange.getAttributes().put(COUNT, count);
    count.ask();
    Mono<Void> judged = judge(exchange, received, chain, principal, count);
    return before == null ? judged.doFinally(any -> count.end()) : judged;
  }

  private Mono<Void> judge(
      ServerWebExchange exchange,
      ServerHttpRequest received,
      WebFilterChain chain,
      Optional<String> principal,
      RequestInParts count) {
    CompletableFuture<?> asked =
        judge.ask(() -> reader.read(exchange.getRequest(), received, principal.orElse(null)));
    if (asked.isDone()) {
      return obey(step(asked, exchange, count), exchange, chain);
    }
    CompletableFuture<Boolean> decided =
        asked
            .handle((ruling, failure) -> true)
            .completeOnTimeout(false, LONGEST_SECONDS, TimeUnit.SECONDS);
    Mono<Boolean> away = Mono.fromFuture(decided).doOnCancel(() -> giveBack(asked));
    return ReactiveHome.back(away, received)
        .flatMap(isDecided -> obey(step(asked, exchange, count), exchange, chain));
  }

  /** Refunds a decision that completes after the request was cancelled. */
  @SuppressWarnings("FutureReturnValueIgnored") // the client has gone
  private static void giveBack(CompletableFuture<?> asked) {
    asked.thenAccept(
        decided -> {
          if (decided instanceof Held held) {
            held.settle(0);
          }
        });
  }

  private Step step(CompletableFuture<?> asked, ServerWebExchange exchange, RequestInParts count) {
    Step step =
        judge.step(
            asked,
            () -> exchange.getRequest().getHeaders().getFirst("Accept"),
            exchange.<Ruling>getAttribute(RULING));
    count.step(step, phase.isLast());
    return step;
  }

  private Mono<Void> obey(Step step, ServerWebExchange exchange, WebFilterChain chain) {
    Answer answer = step.answer();
    if (answer != null) {
      return send(answer, exchange);
    }
    Step.Pass pass = (Step.Pass) step;
    ExchangeReply.tell(pass.limits(), exchange.getResponse());
    exchange.getAttributes().put(RULING, pass.ruling());
    Held turn = pass.turn();
    return turn == null
        ? chain.filter(exchange)
        : ReactiveHome.back(ReactiveTurns.await(turns, turn), exchange.getRequest())
            .flatMap(hasCome -> hasCome ? chain.filter(exchange) : send(busy(exchange), exchange));
  }

  private Mono<Void> send(Answer answer, ServerWebExchange exchange) {
    return ExchangeReply.send(answer, exchange, cors);
  }

  private static Answer busy(ServerWebExchange exchange) {
    return Answers.overloaded(1, exchange.getRequest().getHeaders().getFirst("Accept"));
  }
}
