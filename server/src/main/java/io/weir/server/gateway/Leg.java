package io.weir.server.gateway;

import io.netty.handler.codec.http.HttpHeaders;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpVersion;

/**
 * A request on its way from here to a server, and the response to it, over whatever HTTP there is
 * between them. First its headers are filled, then it is told who listens, then it is sent.
 */
interface Leg {
  /** Who is told; on the event loop. */
  interface Listener {
    /** The server wants the body. */
    void goOn();

    /** The server tells something in advance. */
    void hinted(MultiMap hints);

    /** The head of the response has come; its body follows. */
    void answered();

    /** There is no response. */
    void unanswered(Throwable cause);

    /** A part of the response's body. */
    void received(Buffer part);

    /** The response is complete. */
    void ended();

    /** The response breaks off. */
    void broken();
  }

  HttpVersion version();

  /** Those of the request. */
  MultiMap headers();

  /** Tells the server this host, and not its own. */
  void host(String host);

  void listener(Listener listener);

  /** The body follows, and nobody knows how long it is. */
  void chunk();

  /** Sends the head before there is anything of the body. */
  void sendHead();

  void write(Buffer part);

  /** The request is complete. */
  void end();

  /** The request is complete, and this is said behind its body, if that can be. */
  default void end(HttpHeaders trailers) {
    end();
  }

  /** Whether the server takes less than is sent. */
  boolean isFull();

  /** Runs {@code then} once it is not full any more. */
  void onRoom(Runnable then);

  // Once it is answered.

  int status();

  String reason();

  MultiMap responseHeaders();

  /** Known when the response has ended. */
  MultiMap trailers();

  /** Sends nothing more of the response's body for a while. */
  void pause();

  void resume();

  // The end.

  /** Request and response were complete: the connection can be used again. */
  void release();

  /**
   * Nobody wants the rest.
   *
   * @param isBegun whether something of the request was sent
   */
  void drop(boolean isBegun);
}
