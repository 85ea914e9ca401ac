package io.weir.server.http;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;
import io.weir.server.door.Door;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Who is connected to a port. When they are asked to leave, every answer over HTTP/1 says that the
 * connection ends with it: a client that is told so sends no further request into a connection that
 * is being closed.
 */
final class Visitors implements Handler<HttpConnection> {
  private final Set<HttpConnection> present = ConcurrentHashMap.newKeySet();
  private final Outflow outflow;
  private volatile boolean areAskedToLeave;

  Visitors(Outflow outflow) {
    this.outflow = outflow;
  }

  @Override
  public void handle(HttpConnection connection) {
    Door.greet(connection);
    outflow.count(connection);
    if (connection instanceof ConnectionBase base) {
      present.add(connection);
      base.closeFuture().onComplete(gone -> present.remove(connection)); // be it a WebSocket by now
    }
    connection.closeHandler(gone -> Unread.release(connection));
  }

  /** Answers as {@code handler} does, and says goodbye where it is time. */
  Handler<HttpServerRequest> servedBy(Handler<HttpServerRequest> handler) {
    return request -> {
      if (areAskedToLeave && request.version() != HttpVersion.HTTP_2) {
        request.response().putHeader("Connection", "close");
      }
      handler.handle(request);
    };
  }

  void askToLeave() {
    areAskedToLeave = true;
  }

  /** Whether nobody is connected who has ever said a word. */
  boolean haveLeft() {
    return present.isEmpty();
  }
}
