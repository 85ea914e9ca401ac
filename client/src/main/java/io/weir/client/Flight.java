package io.weir.client;

import io.weir.client.cache.Answer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A request under way, for all who wait for its answer. {@link Flights} keeps the list. */
final class Flight {
  /** What makes requests the same. */
  final Same same;

  /** The answer; empty if it cannot be shared, and each has to ask for himself. */
  final CompletableFuture<Optional<Answer>> landed = new CompletableFuture<>();

  /** The last who waited for it has left. */
  final CompletableFuture<Void> abandoned = new CompletableFuture<>();

  private volatile Deadline latest;
  private volatile boolean isOutdated;
  private int passengers = 1;

  /** With one who waits for it, until then. */
  Flight(Same same, Deadline deadline) {
    this.same = same;
    latest = deadline;
  }

  /** The latest deadline of those who wait, or waited. */
  Deadline latest() {
    return latest;
  }

  /** Whether what it asks for was changed since it began. */
  boolean isOutdated() {
    return isOutdated;
  }

  void outdate() {
    isOutdated = true;
  }

  void board(Deadline deadline) {
    passengers++;
    latest = latest.or(deadline);
  }

  /** Returns whether nobody is left. */
  boolean leave() {
    passengers--;
    return passengers == 0;
  }
}
