package io.weir.server.gateway;

import io.netty.handler.codec.http.HttpHeaders;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpVersion;

/**
 * A request to a server and its response, over any HTTP version. Order of use: fill the headers,
 * set the listener, send. Confined to one event loop.
 */
interface UpstreamRequest {
  /** Receives the response; called on the event loop. */
  interface Listener {
    /** The server sent 100 (Continue). */
    void continueReceived();

    /** The server sent 103 (Early Hints). */
    void hintsReceived(MultiMap hints);

    /** The head of the response was received; its body follows. */
    void answered();

    /** There is no response. */
    void unanswered(Throwable cause);

    /** A part of the response's body. */
    void received(Buffer part);

    /** The response is complete. */
    void ended();

    /** The response was aborted. */
    void broken();
  }

  HttpVersion version();

  /** The headers of the request. */
  MultiMap headers();

  /** Sets the Host header instead of the server's own host. */
  void host(String host);

  void listener(Listener listener);

  /** Announces a body of unknown length. */
  void chunk();

  /** Sends the head before any part of the body. */
  void sendHead();

  void write(Buffer part);

  /** Completes the request. */
  void end();

  /** Completes the request, with trailers if the protocol supports them. */
  default void end(HttpHeaders trailers) {
    end();
  }

  /** Whether the write buffer is full. */
  boolean isFull();

  /** Runs {@code then} when the buffer has room again. */
  void onRoom(Runnable then);

  // After the response head was received.

  int status();

  String reason();

  MultiMap responseHeaders();

  /** The trailers, known when the response has ended. */
  MultiMap trailers();

  /** Pauses the response body. */
  void pause();

  void resume();

  // The end.

  /** Request and response are complete, so the connection can be reused. */
  void release();

  /**
   * Cancels the request.
   *
   * @param isBegun whether part of the request was sent
   */
  void drop(boolean isBegun);
}
