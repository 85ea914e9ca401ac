package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.server.http.Later;
import io.weir.server.http.Replies;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/** Sends results that are computed on the aggregation thread. */
final class Asked {
  private Asked() {}

  /** Sends a JSON page; 503 if too many requests wait. */
  static void answer(HttpServerRequest request, CompletionStage<String> json) {
    orBusy(request, json, text -> Pages.send(request, Pages.json(text)));
  }

  /**
   * Passes the result to {@code then} in the context of {@code request}; 503 if too many requests
   * wait.
   */
  static <T> void orBusy(HttpServerRequest request, CompletionStage<T> said, Consumer<T> then) {
    CompletionStage<Runnable> next =
        said.handle(
            (found, failure) -> {
              if (failure == null) {
                return () -> then.accept(found);
              }
              if (Later.cause(failure) instanceof RejectedExecutionException) {
                return () -> busy(request);
              }
              return () -> Replies.sendFailure(request, failure);
            });
    Later.answer(request, next, Runnable::run);
  }

  static void busy(HttpServerRequest request) {
    Replies.send(
        request,
        Replies.soon(Replies.error(503, "busy", "too many requests wait; try again later")));
  }
}
