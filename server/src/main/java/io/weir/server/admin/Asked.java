package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.server.http.Later;
import io.weir.server.http.Replies;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;

/** Sends what the watchman was asked for. */
final class Asked {
  private Asked() {}

  /** A page of JSON; 503 if too many ask. */
  static void answer(HttpServerRequest request, CompletionStage<String> json) {
    CompletionStage<Runnable> page =
        json.handle(
            (text, failure) -> {
              if (failure == null) {
                return () -> Pages.send(request, Pages.json(text));
              }
              if (Later.cause(failure) instanceof RejectedExecutionException) {
                return () ->
                    Replies.send(
                        request,
                        Replies.soon(
                            Replies.error(503, "busy", "too many ask at once; repeat it later")));
              }
              return () -> Replies.sendFailure(request, failure);
            });
    Later.answer(request, page, Runnable::run);
  }
}
