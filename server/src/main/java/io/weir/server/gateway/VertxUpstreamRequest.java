package io.weir.server.gateway;

import io.vertx.core.AsyncResult;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import io.weir.server.connection.ForceClose;
import org.jspecify.annotations.Nullable;

/** A request sent by Vert.x's client, which supports HTTP/2, TLS and upgrades to WebSocket. */
final class VertxUpstreamRequest implements UpstreamRequest {
  /** HTTP/2's CANCEL. */
  private static final long CANCEL = 8;

  private final HttpClientRequest request;
  private @Nullable HttpClientResponse response;

  VertxUpstreamRequest(HttpClientRequest request) {
    this.request = request;
  }

  HttpClientRequest request() {
    return request;
  }

  HttpClientResponse response() {
    if (response == null) {
      throw new IllegalStateException("no response was received");
    }
    return response;
  }

  @Override
  public HttpVersion version() {
    return response == null ? request.version() : response.version();
  }

  @Override
  public MultiMap headers() {
    return request.headers();
  }

  @Override
  public void host(String host) {
    HostAndPort authority = HostAndPort.parseAuthority(host, -1);
    if (authority != null) {
      request.authority(authority);
    }
  }

  @Override
  public void listener(Listener listener) {
    request.exceptionHandler(known -> {}); // the response fails with the same exception
    request.continueHandler(now -> listener.continueReceived());
    request.earlyHintsHandler(listener::hintsReceived);
    request.response().onComplete(result -> answered(result, listener));
  }

  private void answered(AsyncResult<HttpClientResponse> result, Listener listener) {
    if (result.failed()) {
      listener.unanswered(result.cause());
      return;
    }
    HttpClientResponse head = result.result();
    response = head;
    head.handler(listener::received);
    head.endHandler(end -> listener.ended());
    head.exceptionHandler(broken -> listener.broken());
    listener.answered();
  }

  @Override
  public void chunk() {
    request.setChunked(true);
  }

  @Override
  public void sendHead() {
    request.sendHead();
  }

  @Override
  public void write(Buffer part) {
    request.write(part);
  }

  @Override
  public void end() {
    request.end();
  }

  @Override
  public boolean isFull() {
    return request.writeQueueFull();
  }

  @Override
  public void onRoom(Runnable then) {
    request.drainHandler(writable -> then.run());
  }

  @Override
  public int status() {
    return response().statusCode();
  }

  @Override
  public String reason() {
    return response().statusMessage();
  }

  @Override
  public MultiMap responseHeaders() {
    return response().headers();
  }

  @Override
  public MultiMap trailers() {
    return response().trailers();
  }

  @Override
  public void pause() {
    response().pause();
  }

  @Override
  public void resume() {
    response().resume();
  }

  /** Does nothing: Vert.x releases connections itself. */
  @Override
  public void release() {}

  @Override
  public void drop(boolean isBegun) {
    if (isBegun && request.version() != HttpVersion.HTTP_2) {
      ForceClose.now(
          request.connection()); // the server would read the next request as the rest of this one
    } else {
      request.reset(CANCEL);
    }
  }
}
