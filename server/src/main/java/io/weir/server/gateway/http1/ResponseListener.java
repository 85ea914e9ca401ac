package io.weir.server.gateway.http1;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.vertx.core.internal.ContextInternal;

/** Receives the response to a request; called on the event loop. */
public interface ResponseListener {
  /** The context in which the methods are called. */
  ContextInternal context();

  /** The server sent 100 (Continue). */
  void continueReceived();

  /** The server sent 103 (Early Hints). */
  void hintsReceived(HttpHeaders hints);

  /** The head of the response was received; its body follows. */
  void answered(HttpResponse head);

  /**
   * A part of the response's body.
   *
   * @param part released when this returns
   */
  void received(ByteBuf part);

  /** The response is complete. */
  void ended(HttpHeaders trailers);

  /** The write buffer has room again. */
  void hasRoom();

  /** The connection was closed, or the response is not valid HTTP. */
  void failed(Throwable cause);
}
