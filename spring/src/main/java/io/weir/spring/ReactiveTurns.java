package io.weir.spring;

import io.weir.front.Turns;
import io.weir.rules.Held;
import reactor.core.publisher.Mono;

/** Waits for turns without blocking. */
final class ReactiveTurns {
  private ReactiveTurns() {}

  /**
   * Whether its turn has come, when it has, by a thread that must not be kept; false if too many
   * wait, or the application ends. Who does not wait for it any more gives the place back.
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
