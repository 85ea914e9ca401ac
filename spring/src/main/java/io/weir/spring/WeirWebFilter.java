package io.weir.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.front.Judge;
import io.weir.front.Step;
import io.weir.front.Turns;
import io.weir.rules.Held;
import io.weir.rules.Ruling;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Answers;
import io.weir.rules.http.Header;
import java.security.Principal;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Limits requests of an application on WebFlux, by some of the rules, and never blocks. */
final class WeirWebFilter implements WebFilter, Ordered {
  private static final String RULING = "io.weir.spring.ruling";

  private final int order;
  private final Judge judge;
  private final ExchangeReader reader;
  private final Turns turns;
  private final @Nullable BooleanSupplier isLate;

  /**
   * @param isLate null: it is before authentication; else it is behind it, and tells whether there
   *     is any rule for that
   */
  WeirWebFilter(
      int order,
      Judge judge,
      ExchangeReader reader,
      Turns turns,
      @Nullable BooleanSupplier isLate) {
    this.order = order;
    this.judge = judge;
    this.reader = reader;
    this.turns = turns;
    this.isLate = isLate;
  }

  @Override
  public int getOrder() {
    return order;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    if (isLate == null) {
      return judge(exchange, chain, "");
    }
    return isLate.getAsBoolean()
        ? exchange
            .getPrincipal()
            .map(Principal::getName)
            .defaultIfEmpty("")
            .flatMap(name -> judge(exchange, chain, name))
        : chain.filter(exchange);
  }

  private Mono<Void> judge(ServerWebExchange exchange, WebFilterChain chain, String principal) {
    CompletableFuture<?> asked =
        judge.ask(() -> reader.read(exchange.getRequest(), principal.isEmpty() ? null : principal));
    if (asked.isDone()) {
      return obey(step(asked, exchange), exchange, chain);
    }
    return Mono.fromFuture(asked.handle((decided, failure) -> true))
        .publishOn(Schedulers.parallel()) // the thread of the store must not be kept
        .flatMap(isDecided -> obey(step(asked, exchange), exchange, chain));
  }

  private Step step(CompletableFuture<?> asked, ServerWebExchange exchange) {
    String accept = exchange.getRequest().getHeaders().getFirst("Accept");
    return judge.step(asked, accept, exchange.<Ruling>getAttribute(RULING));
  }

  private Mono<Void> obey(Step step, ServerWebExchange exchange, WebFilterChain chain) {
    Answer answer = step.answer();
    if (answer != null) {
      return send(answer, exchange);
    }
    Step.Pass pass = (Step.Pass) step;
    tell(pass.limits(), exchange.getResponse());
    exchange.getAttributes().put(RULING, pass.ruling());
    Held turn = pass.turn();
    return turn == null
        ? chain.filter(exchange)
        : turn(turn)
            .flatMap(
                hasCome ->
                    hasCome ? chain.filter(exchange) : send(Answers.overloaded(1, null), exchange));
  }

  /** Whether its turn has come, when it has; who does not wait for it gives the place back. */
  private Mono<Boolean> turn(Held turn) {
    return Mono.<Boolean>create(
            sink -> {
              Turns.Place place = turns.hold(turn, () -> sink.success(true));
              if (place == null) {
                sink.success(false);
              } else {
                sink.onCancel(place::leave);
              }
            })
        .publishOn(Schedulers.parallel());
  }

  private static void tell(List<Header> headers, ServerHttpResponse response) {
    for (Header each : headers) {
      response.getHeaders().set(each.name(), each.value());
    }
  }

  /** Nothing if somebody has answered already. */
  private static Mono<Void> send(Answer answer, ServerWebExchange exchange) {
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
