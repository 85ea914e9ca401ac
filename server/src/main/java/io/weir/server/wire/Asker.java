package io.weir.server.wire;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.vertx.core.internal.ContextInternal;

/** Who has asked a server and is told what comes of it; on the event loop. */
public interface Asker {
  /** Where it is told. */
  ContextInternal context();

  /** The server wants the body. */
  void goOn();

  /** The server tells something in advance. */
  void hinted(HttpHeaders hints);

  /** The server answers; its body follows. */
  void answered(HttpResponse head);

  /**
   * A part of the body.
   *
   * @param part only lent: it is gone when this returns
   */
  void received(ByteBuf part);

  /** The answer is complete. */
  void ended(HttpHeaders trailers);

  /** What was written has gone, or most of it. */
  void hasRoom();

  /** Nothing more will come: the connection is gone, or what came over it is no HTTP. */
  void failed(Throwable cause);
}
