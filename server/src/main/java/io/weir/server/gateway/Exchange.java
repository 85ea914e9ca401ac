package io.weir.server.gateway;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Answers;
import io.weir.rules.http.Header;
import io.weir.server.http.Replies;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A request on its way through: both bodies flow as they come, at the pace of whoever is slower.
 *
 * <p>A body either arrives whole or is seen to be broken. So when one side fails, the other is not
 * ended but reset: an end would make half a body look like a whole one.
 */
final class Exchange {
  private final Vertx vertx;
  private final Upstream upstream;
  private final Duration patience;
  private final Inbound inbound;
  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final List<Header> limits;
  private @Nullable HttpClientRequest outbound;
  private long timer = -1;
  private boolean isOver;

  /**
   * An exchange that has not begun; the request must be paused.
   *
   * @param patience how long the server may take to begin its response
   * @param limits headers that the response carries besides its own
   */
  Exchange(
      Vertx vertx, Upstream upstream, Duration patience, Inbound inbound, List<Header> limits) {
    this.vertx = vertx;
    this.upstream = upstream;
    this.patience = patience;
    this.inbound = inbound;
    this.request = inbound.request();
    this.response = request.response();
    this.limits = limits;
  }

  void begin() {
    if (response.closed()) {
      return;
    }
    response.closeHandler(gone -> abandon());
    response.endHandler(null);
    upstream
        .request(request.method(), inbound.target())
        .onSuccess(this::send)
        .onFailure(this::refuse);
  }

  /** The client has gone: nobody needs an answer. */
  private void abandon() {
    if (!response.ended()) {
      over();
      HttpClientRequest sent = outbound;
      if (sent != null) {
        sent.reset();
      }
    }
  }

  private void send(HttpClientRequest to) {
    outbound = to;
    if (isOver) {
      to.reset();
      return;
    }
    Passage.copyUpstream(inbound, to.headers());
    to.exceptionHandler(known -> {}); // the response fails by the same, which is enough
    to.response().onSuccess(this::receive).onFailure(this::refuse);
    if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
      response.writeContinue();
    }
    sendBody(to)
        .onSuccess(sent -> awaitResponse())
        .onFailure(
            broken -> {
              to.reset();
              refuse(broken);
            });
  }

  /**
   * A body of a length that was told keeps it. In HTTP/1 there is none if neither a length nor
   * chunks were announced; in HTTP/2 only what comes first, data or the end, tells.
   */
  private Future<Void> sendBody(HttpClientRequest to) {
    if (request.headers().contains("Content-Length")) {
      return request.pipe().endOnFailure(false).to(to);
    }
    if (request.headers().contains("Transfer-Encoding")) {
      to.setChunked(true);
      return request.pipe().endOnFailure(false).to(to);
    }
    if (request.version() != HttpVersion.HTTP_2 || request.isEnded()) {
      request.resume();
      return to.end();
    }
    return sendBodyOfUnknownLength(to);
  }

  private Future<Void> sendBodyOfUnknownLength(HttpClientRequest to) {
    Promise<Void> done = Promise.promise();
    request.exceptionHandler(done::tryFail);
    request.endHandler(end -> to.end().onComplete(done));
    request.handler(
        first -> {
          request.pause();
          to.setChunked(true);
          to.write(first).onFailure(done::tryFail);
          request.pipe().endOnFailure(false).to(to).onComplete(done);
        });
    request.resume();
    return done.future();
  }

  private void awaitResponse() {
    if (!isOver && !response.headWritten()) {
      timer =
          vertx.setTimer(
              patience.toMillis(),
              late -> {
                refuse(new TimeoutException("no response"));
                HttpClientRequest sent = outbound;
                if (sent != null) {
                  sent.reset();
                }
              });
    }
  }

  private void receive(HttpClientResponse from) {
    stopTimer();
    if (isOver || response.headWritten()) {
      return;
    }
    response.setStatusCode(from.statusCode()).setStatusMessage(from.statusMessage());
    Set<String> ours =
        limits.stream()
            .map(header -> header.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.toSet());
    Passage.copy(from.headers(), response.headers(), ours);
    for (Header header : limits) {
      response.putHeader(header.name(), header.value());
    }
    if (hasNoBody(from)) {
      from.resume();
      response.end();
      over();
      return;
    }
    if (!response.headers().contains("Content-Length")) {
      response.setChunked(true);
    }
    from.pipe()
        .endOnFailure(false)
        .to(response)
        .onComplete(
            done -> {
              over();
              if (done.failed()) {
                response.reset(2); // INTERNAL_ERROR; in HTTP/1 the connection ends
              }
            });
  }

  private boolean hasNoBody(HttpClientResponse from) {
    int status = from.statusCode();
    return request.method().equals(HttpMethod.HEAD) || status == 204 || status == 304;
  }

  private void refuse(Throwable cause) {
    if (isOver) {
      return;
    }
    over();
    if (response.headWritten()) {
      response.reset(2);
      return;
    }
    Replies.send(request, answer(cause));
    Refusals.discard(request);
  }

  private Answer answer(Throwable cause) {
    if (cause instanceof ConnectionPoolTooBusyException) {
      return Answers.overloaded(1, request.getHeader("Accept"));
    }
    return cause instanceof TimeoutException
        ? Replies.error(504, "gateway_timeout", "the server behind the gateway took too long")
        : Replies.error(
            502, "bad_gateway", "the server behind the gateway could not be asked, or hung up");
  }

  private void over() {
    isOver = true;
    stopTimer();
  }

  private void stopTimer() {
    if (timer >= 0) {
      vertx.cancelTimer(timer);
      timer = -1;
    }
  }
}
