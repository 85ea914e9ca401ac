package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.server.http.EventLoops;
import io.weir.server.http.HttpResponses;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/** Sends results that are computed on the aggregation thread. */
final class InsightResponses {
  private InsightResponses() {}

  /** Sends a JSON page; 503 if too many requests wait. */
  static void respond(HttpServerRequest request, CompletionStage<String> json) {
    orBusy(request, json, text -> HttpResponses.send(request, AdminResponses.json(text)));
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
              if (EventLoops.cause(failure) instanceof RejectedExecutionException) {
                return () -> busy(request);
              }
              return () -> HttpResponses.sendFailure(request, failure);
            });
    EventLoops.respond(request, next, Runnable::run);
  }

  static void busy(HttpServerRequest request) {
    HttpResponses.send(
        request,
        HttpResponses.soon(
            HttpResponses.error(503, "busy", "too many requests wait; try again later")));
  }
}
