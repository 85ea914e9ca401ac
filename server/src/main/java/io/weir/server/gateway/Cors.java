package io.weir.server.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.http.Header;
import io.weir.rules.http.Origins;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lets web pages read what they are told of limits: a browser shows a page of another origin only
 * those headers that a response names.
 */
final class Cors {
  private final Origins origins;

  /**
   * @param origins whose pages may read refusals; {@code *}: all
   */
  Cors(List<String> origins) {
    this.origins = new Origins(origins);
  }

  /** Whether it may have something to say to a request with these headers. */
  boolean isConcerned(MultiMap headers) {
    return !origins.isEmpty() && headers.contains(HttpHeaders.ORIGIN);
  }

  /** {@code told} and, where a page of an allowed origin asks, what makes it readable. */
  List<Header> with(List<Header> told, HttpServerRequest request) {
    return origins.isEmpty() ? told : origins.with(told, request.headers().get(HttpHeaders.ORIGIN));
  }

  /** What is exposed already, and the names of {@code told} that are not. */
  static String exposed(@Nullable String before, List<Header> told) {
    return Origins.exposed(before, told);
  }
}
