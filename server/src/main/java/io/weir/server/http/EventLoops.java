package io.weir.server.http;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.http.HttpServerRequestInternal;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** Continues on the request's event loop after a store has completed a stage on its own thread. */
public final class EventLoops {
  private EventLoops() {}

  /** The failure, without the {@link CompletionException} that stages wrap around it. */
  public static Throwable cause(Throwable thrown) {
    Throwable cause = thrown.getCause();
    return thrown instanceof CompletionException && cause != null ? cause : thrown;
  }

  /** The result of {@code stage} on {@code context}; immediate if the stage is complete. */
  public static <T> Future<T> on(Context context, CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    if (future.isDone() && !future.isCompletedExceptionally()) {
      return Future.succeededFuture(future.join());
    }
    return Future.fromCompletionStage(stage, context);
  }

  /**
   * Passes the result of {@code stage} to {@code then} on the context of {@code request}, the only
   * one that may respond; immediately if the stage is complete. A failure of either becomes the
   * response.
   */
  public static <T> void respond(
      HttpServerRequest request, CompletionStage<T> stage, Consumer<T> then) {
    respond(request, stage, then, status -> {});
  }

  /**
   * {@link #respond(HttpServerRequest, CompletionStage, Consumer)}.
   *
   * @param failed receives the status of the response if {@code stage} fails
   */
  public static <T> void respond(
      HttpServerRequest request, CompletionStage<T> stage, Consumer<T> then, IntConsumer failed) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    if (future.isDone() && !future.isCompletedExceptionally()) {
      HttpResponses.orFailure(request, future.join(), then);
      return;
    }
    Future.fromCompletionStage(stage, ((HttpServerRequestInternal) request).context())
        .onComplete(
            result -> {
              if (result.failed()) {
                failed.accept(HttpResponses.sendFailure(request, result.cause()));
              } else {
                HttpResponses.orFailure(request, result.result(), then);
              }
            });
  }
}
