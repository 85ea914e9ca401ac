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
    HostAndPort asked = HostAndPort.parseAuthority(host, -1);
    if (asked != null) {
      request.authority(asked);
    }
  }

  @Override
  public void listener(Listener told) {
    request.exceptionHandler(known -> {}); // the response fails with the same exception
    request.continueHandler(now -> told.goOn());
    request.earlyHintsHandler(told::hinted);
    request.response().onComplete(result -> answered(result, told));
  }

  private void answered(AsyncResult<HttpClientResponse> result, Listener told) {
    if (result.failed()) {
      told.unanswered(result.cause());
      return;
    }
    HttpClientResponse answer = result.result();
    response = answer;
    answer.handler(told::received);
    answer.endHandler(end -> told.ended());
    answer.exceptionHandler(broken -> told.broken());
    told.answered();
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
    request.drainHandler(room -> then.run());
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
