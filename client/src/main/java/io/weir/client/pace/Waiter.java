package io.weir.client.pace;

import io.weir.client.pace.Routes.Route;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Somebody who waits at a gate, in a lane with others. */
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
