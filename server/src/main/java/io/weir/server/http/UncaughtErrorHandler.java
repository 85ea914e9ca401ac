package io.weir.server.http;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;

/** Responds with an error when a handler throws, so that the client gets a response. */
final class UncaughtErrorHandler implements Handler<HttpServerRequest> {
  private final Handler<HttpServerRequest> handler;

  UncaughtErrorHandler(Handler<HttpServerRequest> handler) {
    this.handler = handler;
  }

  @Override
  public void handle(HttpServerRequest request) {
    try {
      handler.handle(request);
    } catch (RuntimeException | StackOverflowError e) {
      HttpResponses.sendFailure(request, e);
    }
  }
}
