package io.weir.server.door;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpRequest;
import org.jspecify.annotations.Nullable;

/**
 * Answers at the door who need not come in: nobody inside hears of such a request, which saves most
 * of what it costs.
 */
public interface Porter {
  /**
   * Looks at a request. It is over HTTP/1.1, has no body, wants the connection to stay open, and
   * all before it were answered; the first one of a connection is not shown. On its event loop.
   *
   * @return the whole answer as it is sent; null if the request is let in
   */
  @Nullable ByteBuf answer(Channel connection, HttpRequest request);
}
