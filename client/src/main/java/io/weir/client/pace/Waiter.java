package io.weir.client.pace;

import io.weir.client.pace.Routes.Route;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A request waiting in a lane of the queue. */
final class Waiter {
  final Route route;
  final CompletableFuture<Pass> future = new CompletableFuture<>();
  Set<Waiter> lane;
  Clockwork.@Nullable Alarm deadline;

  Waiter(Route route, Set<Waiter> lane) {
    this.route = route;
    this.lane = lane;
  }
}
