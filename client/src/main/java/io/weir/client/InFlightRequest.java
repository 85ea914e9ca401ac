package io.weir.client;

import io.weir.client.cache.BufferedResponse;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A request in flight, and the callers that wait for its response. {@link RequestCoalescer} holds
 * the list.
 */
final class InFlightRequest {
  /** The key by which requests are coalesced. */
  final RequestKey requestKey;

  /** The response; empty if it cannot be shared, so that each caller must send its own request. */
  final CompletableFuture<Optional<BufferedResponse>> response = new CompletableFuture<>();

  /** Completed when the last waiting caller has left. */
  final CompletableFuture<Void> abandoned = new CompletableFuture<>();

  private volatile Deadline latest;
  private volatile boolean isOutdated;
  private int participants = 1;

  /** Starts with one caller, which waits until {@code deadline}. */
  InFlightRequest(RequestKey requestKey, Deadline deadline) {
    this.requestKey = requestKey;
    latest = deadline;
  }

  /** The latest deadline of all callers so far, including those that have left. */
  Deadline latest() {
    return latest;
  }

  /** Whether the resource was changed after this request began. */
  boolean isOutdated() {
    return isOutdated;
  }

  void outdate() {
    isOutdated = true;
  }

  void join(Deadline deadline) {
    participants++;
    latest = latest.or(deadline);
  }

  /** Returns whether no caller is left. */
  boolean leave() {
    participants--;
    return participants == 0;
  }
}
