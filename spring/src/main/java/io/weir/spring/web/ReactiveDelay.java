package io.weir.spring.web;

import io.weir.embedded.DelayedRequests;
import io.weir.rules.HeldCharge;
import reactor.core.publisher.Mono;

/** Delays requests without blocking. */
public final class ReactiveDelay {
  private ReactiveDelay() {}

  /**
   * Emits true when the delay is over, on a thread that must not be blocked. Emits false if too
   * many are delayed, or the application stops. Cancelling releases the place in the queue.
   */
  public static Mono<Boolean> await(DelayedRequests delayedRequests, HeldCharge turn) {
    return Mono.create(
        sink -> {
          DelayedRequests.WaitingRequest waitingRequest =
              delayedRequests.hold(turn, () -> sink.success(true), () -> sink.success(false));
          if (waitingRequest == null) {
            sink.success(false);
          } else {
            sink.onCancel(waitingRequest::leave);
          }
        });
  }
}
