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

/** Brings what completes on a thread of a store back to the event loop that asked. */
public final class Later {
  private Later() {}

  /** What went wrong, without what stages wrap around it. */
  public static Throwable cause(Throwable thrown) {
    Throwable cause = thrown.getCause();
    return thrown instanceof CompletionException && cause != null ? cause : thrown;
  }

  /** What {@code stage} comes to, on {@code context}; at once if it is complete. */
  public static <T> Future<T> on(Context context, CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    if (future.isDone() && !future.isCompletedExceptionally()) {
      return Future.succeededFuture(future.join());
    }
    return Future.fromCompletionStage(stage, context);
  }

  /**
   * Hands what {@code stage} comes to to {@code then}, in the context of {@code request}, where
   * alone it may be answered; at once if it is complete. Whatever goes wrong, there and before,
   * becomes the answer to {@code request}.
   */
  public static <T> void answer(
      HttpServerRequest request, CompletionStage<T> stage, Consumer<T> then) {
    answer(request, stage, then, status -> {});
  }

  /**
   * {@link #answer(HttpServerRequest, CompletionStage, Consumer)}.
   *
   * @param failed is told the status of the answer where {@code stage} fails
   */
  public static <T> void answer(
      HttpServerRequest request, CompletionStage<T> stage, Consumer<T> then, IntConsumer failed) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    if (future.isDone() && !future.isCompletedExceptionally()) {
      Replies.orFailure(request, future.join(), then);
      return;
    }
    Future.fromCompletionStage(stage, ((HttpServerRequestInternal) request).context())
        .onComplete(
            result -> {
              if (result.failed()) {
                failed.accept(Replies.sendFailure(request, result.cause()));
              } else {
                Replies.orFailure(request, result.result(), then);
              }
            });
  }
}
