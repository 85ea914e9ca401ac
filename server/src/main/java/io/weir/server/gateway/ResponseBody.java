package io.weir.server.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.weir.server.connection.ResponseBackpressure;
import java.util.Map;

/** Streams the body of a response to the client, no faster than the client reads it. */
final class ResponseBody {
  private static final long UNKNOWN = -1;

  private final ProxyExchange proxyExchange;
  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final UpstreamRequest from;
  private final long length;
  private final SlowReaderDetector pace;
  private long bytes;
  private boolean isStalled;
  private boolean isWritten;

  /** Does not write yet; the head must be ready. */
  ResponseBody(
      ProxyExchange proxyExchange,
      ProxyOptions proxyOptions,
      HttpServerRequest request,
      UpstreamRequest from) {
    this.pace = new SlowReaderDetector(proxyOptions);
    this.proxyExchange = proxyExchange;
    this.request = request;
    this.response = request.response();
    this.from = from;
    String contentLength = response.headers().get(HttpHeaders.CONTENT_LENGTH);
    this.length = contentLength == null ? UNKNOWN : Long.parseLong(contentLength.strip());
  }

  /** Whether the client is waited for. */
  boolean isStalled() {
    return isStalled;
  }

  /** How fast the client reads, as of the last timeout check. */
  SlowReaderDetector pace() {
    return pace;
  }

  /** One timeout check. */
  void look(long now) {
    pace.look(now, isStalled, bytes);
    writeHead();
  }

  void begin() {
    if (length == UNKNOWN) {
      response.setChunked(true);
      // A client may wait for the head of a stream long before its first part follows.
      proxyExchange.later(this::writeHead);
    }
  }

  /** Writes the head alone, if no part of the body has been received. */
  void writeHead() {
    boolean isFramed = length != UNKNOWN || request.version() != HttpVersion.HTTP_1_0;
    if (isFramed && !proxyExchange.isOver() && !response.headWritten() && !response.ended()) {
      response.writeHead();
    }
  }

  void handle(Buffer part) {
    proxyExchange.moved();
    if (!proxyExchange.isOver()) {
      try {
        send(part);
      } catch (RuntimeException e) {
        proxyExchange.threw(e);
      }
    }
  }

  private void send(Buffer part) {
    bytes += part.length();
    if (bytes == length && !response.headWritten() && from.version() != HttpVersion.HTTP_2) {
      isWritten = true; // the whole body in one part, as is usual
      ResponseBackpressure.follow(request, response.end(part), part.length());
      return;
    }
    response.write(part);
    if (response.writeQueueFull() && !isStalled) {
      isStalled = true;
      from.pause();
      response.drainHandler(writable -> resume());
    }
  }

  private void resume() {
    if (isStalled) {
      isStalled = false;
      proxyExchange.moved();
      if (!proxyExchange.isOver()) {
        from.resume();
      }
    }
  }

  void ended() {
    if (proxyExchange.isOver()) {
      return;
    }
    if (length != UNKNOWN && bytes != length) {
      proxyExchange.responseBroken();
      return;
    }
    if (!isWritten) {
      copyTrailers();
      ResponseBackpressure.follow(request, response.end(), 0);
      if (length == UNKNOWN && request.version() == HttpVersion.HTTP_1_0) {
        request.connection().close(); // the close marks the end of the body
      }
    }
    proxyExchange.delivered();
  }

  private void copyTrailers() {
    MultiMap trailers = from.trailers();
    if (trailers.isEmpty() || length != UNKNOWN && request.version() != HttpVersion.HTTP_2) {
      return;
    }
    for (Map.Entry<String, String> trailer : trailers) {
      if (!trailer.getKey().isEmpty()
          && HeaderKind.of(trailer.getKey()) == HeaderKind.PLAIN
          && !trailer.getKey().startsWith(":")) {
        response.trailers().add(trailer.getKey(), trailer.getValue());
      }
    }
  }
}
