package io.weir.spring.method;

import io.weir.embedded.FilterAction;
import io.weir.embedded.RequestGuard;
import io.weir.spring.web.ReactiveDelay;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A call with a reactive result: each subscription is charged, without blocking. */
final class ReactiveRateLimitedInvocation {
  private final RateLimitedInvocation rateLimitedInvocation;

  ReactiveRateLimitedInvocation(RateLimitedInvocation rateLimitedInvocation) {
    this.rateLimitedInvocation = rateLimitedInvocation;
  }

  /** Whether this thread must not be blocked. */
  static boolean isOnEventLoop() {
    return Schedulers.isInNonBlockingThread();
  }

  static boolean isFor(Class<?> returned) {
    return returned == Mono.class || returned == Flux.class || returned == Publisher.class;
  }

  Publisher<?> go(Class<?> returned) {
    return returned == Mono.class
        ? Mono.defer(() -> filterAction().flatMap(filterAction -> Mono.from(apply(filterAction))))
        : Flux.defer(() -> filterAction().flatMapMany(this::apply));
  }

  private Mono<FilterAction> filterAction() {
    CompletableFuture<?> decision = rateLimitedInvocation.charge();
    if (decision.isDone()) {
      return turn(requestGuard().step(decision, null));
    }
    return Mono.fromFuture(
            decision.handle((decided, failure) -> requestGuard().step(decision, null)))
        .publishOn(Schedulers.parallel()) // the store's thread must not be blocked
        .flatMap(this::turn);
  }

  private RequestGuard requestGuard() {
    return rateLimitedInvocation.interceptor().requestGuard();
  }

  /** The step, after its delay; cancelling releases the place in the queue. */
  private Mono<FilterAction> turn(FilterAction filterAction) {
    if (!(filterAction instanceof FilterAction.Pass pass) || pass.turn() == null) {
      return Mono.just(filterAction);
    }
    return ReactiveDelay.await(rateLimitedInvocation.interceptor().delayedRequests(), pass.turn())
        .publishOn(Schedulers.parallel())
        .flatMap(
            hasCome ->
                hasCome
                    ? Mono.just(filterAction)
                    : Mono.error(rateLimitedInvocation.crowdedOut(pass)));
  }

  @SuppressWarnings("unchecked")
  private Publisher<Object> apply(FilterAction filterAction) {
    try {
      @Nullable Object returned = rateLimitedInvocation.apply(filterAction);
      return returned == null ? Mono.empty() : (Publisher<Object>) returned;
    } catch (Throwable e) {
      return Mono.error(e);
    }
  }
}
