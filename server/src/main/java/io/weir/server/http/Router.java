package io.weir.server.http;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.http.DirectResponse;
import io.weir.rules.http.Header;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Dispatches requests to handlers by path and method. Not to be changed once it is in use. */
public final class Router implements Handler<HttpServerRequest> {
  /** The placeholder for the rest of a path below a prefix. */
  private static final String REST = "{file}";

  private final Map<String, Route> routes = new HashMap<>();
  private final Map<String, Route> trees = new LinkedHashMap<>();
  private List<Header> always = List.of();
  private @Nullable RequestTrace trace;

  /** Sets headers for every response, including those without a route. */
  public Router always(List<Header> headers) {
    always = List.copyOf(headers);
    return this;
  }

  /** Sets the receiver of each request's route; null for none. */
  public Router traced(@Nullable RequestTrace by) {
    trace = by;
    return this;
  }

  /** Adds a route. {@code HEAD} uses the handler of {@code GET}. */
  public Router on(HttpMethod method, String path, Handler<HttpServerRequest> handler) {
    routes.computeIfAbsent(path, Route::new).methods.put(method, handler);
    return this;
  }

  /** Adds a route for all methods. */
  public Router onAny(String path, Handler<HttpServerRequest> handler) {
    routes.computeIfAbsent(path, Route::new).any = handler;
    return this;
  }

  /** Adds a route for all paths that begin with {@code prefix} and have no route of their own. */
  public Router below(HttpMethod method, String prefix, Handler<HttpServerRequest> handler) {
    trees.computeIfAbsent(prefix, start -> new Route(start + REST)).methods.put(method, handler);
    return this;
  }

  /** The methods of each path; an empty set if the path accepts all methods. */
  public Map<String, Set<String>> routes() {
    Map<String, Set<String>> all = new TreeMap<>();
    routes.forEach((path, route) -> all.put(path, route.names()));
    trees.forEach((prefix, route) -> all.put(prefix + REST, route.names()));
    return all;
  }

  @Override
  public void handle(HttpServerRequest request) {
    for (int i = 0; i < always.size(); i++) {
      request.response().putHeader(always.get(i).name(), always.get(i).value());
    }
    Route route = route(String.valueOf(request.path()));
    if (route == null) {
      HttpResponses.send(
          request, HttpResponses.error(404, "not_found", "there is nothing at this path"));
      return;
    }
    if (trace != null) {
      trace.routed(request, route.path);
    }
    Handler<HttpServerRequest> handler = route.handler(request.method());
    if (handler == null) {
      String allowed = route.allowed();
      DirectResponse directResponse =
          HttpResponses.error(405, "method_not_allowed", "this path supports " + allowed);
      HttpResponses.send(request, directResponse, List.of(new Header("Allow", allowed)));
      return;
    }
    handler.handle(request);
  }

  private @Nullable Route route(String path) {
    Route route = routes.get(path);
    if (route == null && !trees.isEmpty()) {
      for (Map.Entry<String, Route> tree : trees.entrySet()) {
        if (path.startsWith(tree.getKey())) {
          return tree.getValue();
        }
      }
    }
    return route;
  }

  /** The handlers of one path. */
  private static final class Route {
    private final String path;
    private final Map<HttpMethod, Handler<HttpServerRequest>> methods = new LinkedHashMap<>();
    private @Nullable Handler<HttpServerRequest> any;

    Route(String path) {
      this.path = path;
    }

    @Nullable Handler<HttpServerRequest> handler(HttpMethod requested) {
      HttpMethod method = requested.equals(HttpMethod.HEAD) ? HttpMethod.GET : requested;
      Handler<HttpServerRequest> handler = methods.get(method);
      return handler == null ? any : handler;
    }

    Set<String> names() {
      return methods.keySet().stream()
          .map(HttpMethod::name)
          .collect(Collectors.toUnmodifiableSet());
    }

    String allowed() {
      return methods.keySet().stream()
          .flatMap(
              method ->
                  method.equals(HttpMethod.GET)
                      ? Stream.of("GET", "HEAD")
                      : Stream.of(method.name()))
          .collect(Collectors.joining(", "));
    }
  }
}
