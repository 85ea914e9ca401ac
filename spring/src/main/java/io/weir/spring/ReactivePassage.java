package io.weir.spring;

import io.weir.front.Judge;
import io.weir.front.Step;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A call with a reactive result: each subscription is charged, without blocking. */
final class ReactivePassage {
  private final Passage passage;

  ReactivePassage(Passage passage) {
    this.passage = passage;
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
        ? Mono.defer(() -> step().flatMap(step -> Mono.from(obey(step))))
        : Flux.defer(() -> step().flatMapMany(this::obey));
  }

  private Mono<Step> step() {
    CompletableFuture<?> asked = passage.ask();
    if (asked.isDone()) {
      return turn(judge().step(asked, null));
    }
    return Mono.fromFuture(asked.handle((decided, failure) -> judge().step(asked, null)))
        .publishOn(Schedulers.parallel()) // the store's thread must not be blocked
        .flatMap(this::turn);
  }

  private Judge judge() {
    return passage.interceptor().judge();
  }

  /** The step, after its delay; cancelling releases the place in the queue. */
  private Mono<Step> turn(Step step) {
    if (!(step instanceof Step.Pass pass) || pass.turn() == null) {
      return Mono.just(step);
    }
    return ReactiveTurns.await(passage.interceptor().turns(), pass.turn())
        .publishOn(Schedulers.parallel())
        .flatMap(hasCome -> hasCome ? Mono.just(step) : Mono.error(passage.crowdedOut(pass)));
  }

  @SuppressWarnings("unchecked")
  private Publisher<Object> obey(Step step) {
    try {
      @Nullable Object returned = passage.obey(step);
      return returned == null ? Mono.empty() : (Publisher<Object>) returned;
    } catch (Throwable e) {
      return Mono.error(e);
    }
  }
}
