package io.weir.server.admin;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.internal.http.HttpServerRequestInternal;
import io.weir.rules.http.Header;
import io.weir.server.connection.BodyDrainer;
import io.weir.server.connection.ResponseBackpressure;
import io.weir.server.http.EventLoops;
import io.weir.server.http.HttpResponses;
import io.weir.server.metrics.Scrape;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code /metrics}, rendered on a worker thread because that may take long. */
final class MetricsEndpoint {
  private final Scrape scrape;

  MetricsEndpoint(Scrape scrape) {
    this.scrape = scrape;
  }

  void show(HttpServerRequest request) {
    String accept = request.getHeader(HttpHeaders.ACCEPT);
    boolean mayBeZipped = isGzipIn(request.getHeader(HttpHeaders.ACCEPT_ENCODING));
    EventLoops.respond(
        request,
        ((HttpServerRequestInternal) request)
            .context()
            .executeBlocking(() -> scrape.page(accept, mayBeZipped), false)
            .toCompletionStage(),
        page -> {
          Buffer body = Buffer.buffer(page.body());
          HttpResponses.whenWritable(request, body.length(), () -> write(request, page, body));
          BodyDrainer.discard(request);
        });
  }

  private static void write(HttpServerRequest request, Scrape.Page page, Buffer body) {
    HttpServerResponse response = request.response();
    if (response.headWritten() || response.ended() || response.closed()) {
      return;
    }
    for (Header header : AdminResponses.headers(page.type())) {
      response.putHeader(header.name(), header.value());
    }
    response.putHeader(HttpHeaders.VARY, "Accept, Accept-Encoding");
    if (page.isZipped()) {
      response.putHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
    }
    if (request.method().equals(HttpMethod.HEAD)) { // with HTTP/2 the body would be sent
      response.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(body.length()));
      ResponseBackpressure.follow(request, response.end(), 0);
    } else {
      ResponseBackpressure.follow(request, response.end(body), body.length());
    }
  }

  /** Whether {@code gzip} is listed and not excluded by {@code gzip;q=0}. */
  static boolean isGzipIn(@Nullable String accepted) {
    if (accepted == null) {
      return false;
    }
    for (String each : accepted.toLowerCase(Locale.ROOT).split(",", -1)) {
      String[] parts = each.split(";", 2);
      if (parts[0].strip().equals("gzip")) {
        return parts.length == 1 || !parts[1].strip().matches("q\\s*=\\s*0(\\.0*)?");
      }
    }
    return false;
  }
}
