package io.weir.server.http;

import io.vertx.core.Context;
import io.vertx.core.Future;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Brings what completes on a thread of a store back to the event loop that asked. */
public final class Later {
  private Later() {}

  /** What {@code stage} comes to, on {@code context}; at once if it is complete. */
  public static <T> Future<T> on(Context context, CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    if (future.isDone() && !future.isCompletedExceptionally()) {
      return Future.succeededFuture(future.join());
    }
    return Future.fromCompletionStage(stage, context);
  }
}
