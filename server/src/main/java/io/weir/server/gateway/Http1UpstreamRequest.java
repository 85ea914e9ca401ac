package io.weir.server.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.headers.HeadersAdaptor;
import io.vertx.core.http.impl.headers.HeadersMultiMap;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.buffer.BufferInternal;
import io.weir.server.gateway.http1.Http1Connection;
import io.weir.server.gateway.http1.ResponseListener;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A request sent over HTTP/1.1 without TLS. */
final class Http1UpstreamRequest implements UpstreamRequest, ResponseListener {
  private static final CharSequence HOST = io.vertx.core.http.HttpHeaders.HOST;

  private final Http1Connection http1Connection;
  private final ContextInternal context = Objects.requireNonNull(ContextInternal.current());
  private final HttpMethod method;
  private final String target;
  private final HeadersMultiMap headers = HeadersMultiMap.httpHeaders();
  private @Nullable Listener listener;
  private @Nullable Runnable onRoom;
  private @Nullable HttpResponse response;
  private @Nullable HttpHeaders trailers;
  private boolean isHeadSent;

  /**
   * A request that is not sent yet; it belongs to the current context.
   *
   * @param host the server's own host
   */
  Http1UpstreamRequest(
      Http1Connection http1Connection,
      io.vertx.core.http.HttpMethod method,
      String target,
      String host) {
    this.http1Connection = http1Connection;
    this.method = method.toNetty();
    this.target = target;
    headers.add(HOST, host);
  }

  @Override
  public ContextInternal context() {
    return context;
  }

  @Override
  public HttpVersion version() {
    HttpResponse head = response;
    boolean isOld = head != null && head.protocolVersion().minorVersion() == 0;
    return isOld ? HttpVersion.HTTP_1_0 : HttpVersion.HTTP_1_1;
  }

  @Override
  public MultiMap headers() {
    return headers;
  }

  @Override
  public void host(String host) {
    headers.set(HOST, host);
  }

  @Override
  public void listener(Listener listener) {
    this.listener = listener;
  }

  private Listener requireListener() {
    if (listener == null) {
      throw new IllegalStateException("no listener was set");
    }
    return listener;
  }

  // To the server.

  @Override
  public void chunk() {
    headers.set(
        io.vertx.core.http.HttpHeaders.TRANSFER_ENCODING, io.vertx.core.http.HttpHeaders.CHUNKED);
  }

  @Override
  public void sendHead() {
    if (!isHeadSent) {
      isHeadSent = true;
      http1Connection.open(method, target, headers, this);
    }
  }

  @Override
  public void write(Buffer part) {
    sendHead();
    http1Connection.send(((BufferInternal) part).getByteBuf());
  }

  @Override
  public void end() {
    end(EmptyHttpHeaders.INSTANCE);
  }

  @Override
  public void end(HttpHeaders last) {
    if (isHeadSent) {
      http1Connection.end(last);
    } else {
      isHeadSent = true;
      http1Connection.request(method, target, headers, this);
    }
  }

  @Override
  public boolean isFull() {
    return http1Connection.isFull();
  }

  @Override
  public void onRoom(Runnable then) {
    onRoom = then;
  }

  @Override
  public void hasRoom() {
    Runnable then = onRoom;
    if (then != null) {
      onRoom = null;
      then.run();
    }
  }

  // From the server.

  @Override
  public void continueReceived() {
    requireListener().continueReceived();
  }

  @Override
  public void hintsReceived(HttpHeaders hints) {
    requireListener().hintsReceived(of(hints));
  }

  @Override
  public void answered(HttpResponse head) {
    response = head;
    requireListener().answered();
  }

  @Override
  public void received(ByteBuf part) {
    requireListener().received(BufferInternal.safeBuffer(part.retain()));
  }

  @Override
  public void ended(HttpHeaders last) {
    trailers = last;
    requireListener().ended();
  }

  @Override
  public void failed(Throwable cause) {
    if (response == null) {
      requireListener().unanswered(cause);
    } else {
      requireListener().broken();
    }
  }

  private HttpResponse response() {
    if (response == null) {
      throw new IllegalStateException("no response was received");
    }
    return response;
  }

  @Override
  public int status() {
    return response().status().code();
  }

  @Override
  public String reason() {
    return response().status().reasonPhrase();
  }

  @Override
  public MultiMap responseHeaders() {
    return of(response().headers());
  }

  @Override
  public MultiMap trailers() {
    return trailers == null || trailers.isEmpty()
        ? HeadersMultiMap.caseInsensitive()
        : of(trailers);
  }

  private static MultiMap of(HttpHeaders headers) {
    return headers instanceof MultiMap map ? map : new HeadersAdaptor(headers);
  }

  @Override
  public void pause() {
    http1Connection.pause();
  }

  @Override
  public void resume() {
    http1Connection.resume();
  }

  // The end.

  @Override
  public void release() {
    http1Connection.release();
  }

  @Override
  public void drop(boolean isBegun) {
    if (isBegun) {
      http1Connection.cut(); // the server would read the next request as the rest of this one
    } else {
      http1Connection.release();
    }
  }
}
