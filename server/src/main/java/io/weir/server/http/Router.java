package io.weir.server.http;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Header;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Finds who answers a request, by its path and method. */
public final class Router implements Handler<HttpServerRequest> {
  private final Map<String, Map<HttpMethod, Handler<HttpServerRequest>>> routes = new HashMap<>();

  /** Adds a route. {@code HEAD} goes where {@code GET} goes. */
  public Router on(HttpMethod method, String path, Handler<HttpServerRequest> handler) {
    routes.computeIfAbsent(path, any -> new LinkedHashMap<>()).put(method, handler);
    return this;
  }

  @Override
  public void handle(HttpServerRequest request) {
    Map<HttpMethod, Handler<HttpServerRequest>> methods = routes.get(request.path());
    if (methods == null) {
      Replies.send(request, Replies.error(404, "not_found", "there is nothing at this path"));
      return;
    }
    HttpMethod method = request.method() == HttpMethod.HEAD ? HttpMethod.GET : request.method();
    Handler<HttpServerRequest> handler = methods.get(method);
    if (handler == null) {
      String allowed =
          methods.keySet().stream().map(HttpMethod::name).collect(Collectors.joining(", "));
      Answer answer = Replies.error(405, "method_not_allowed", "this path takes " + allowed);
      Replies.send(request, answer, List.of(new Header("Allow", allowed)));
      return;
    }
    handler.handle(request);
  }
}
