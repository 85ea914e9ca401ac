package io.weir.client.pace;

import io.weir.client.pace.RouteLimits.Route;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A request waiting in a lane of the queue. */
final class QueuedRequest {
  final Route route;
  final CompletableFuture<SendSlot> future = new CompletableFuture<>();
  Set<QueuedRequest> lane;
  DelayScheduler.@Nullable ScheduledTask deadline;

  QueuedRequest(Route route, Set<QueuedRequest> lane) {
    this.route = route;
    this.lane = lane;
  }
}
