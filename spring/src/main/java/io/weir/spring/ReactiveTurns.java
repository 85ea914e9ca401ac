package io.weir.spring;

import io.weir.front.Turns;
import io.weir.rules.Held;
import reactor.core.publisher.Mono;

/** Delays requests without blocking. */
final class ReactiveTurns {
  private ReactiveTurns() {}

  /**
   * Emits true when the delay is over, on a thread that must not be blocked. Emits false if too
   * many are delayed, or the application stops. Cancelling releases the place in the queue.
   */
  static Mono<Boolean> await(Turns turns, Held turn) {
    return Mono.create(
        sink -> {
          Turns.Place place = turns.hold(turn, () -> sink.success(true), () -> sink.success(false));
          if (place == null) {
            sink.success(false);
          } else {
            sink.onCancel(place::leave);
          }
        });
  }
}
