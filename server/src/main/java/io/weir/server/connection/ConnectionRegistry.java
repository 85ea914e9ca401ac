package io.weir.server.connection;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The open connections of a port. During a drain, every HTTP/1 response carries {@code Connection:
 * close}, so that clients send no further request into a connection that is being closed.
 */
public final class ConnectionRegistry implements Handler<HttpConnection> {
  private final Set<HttpConnection> present = ConcurrentHashMap.newKeySet();
  private final ResponseBackpressure responseBackpressure;
  private volatile boolean isDraining;

  public ConnectionRegistry(ResponseBackpressure responseBackpressure) {
    this.responseBackpressure = responseBackpressure;
  }

  @Override
  public void handle(HttpConnection connection) {
    ConnectionLimiter.installHandlers(connection);
    responseBackpressure.count(connection);
    StreamWritability.watch(connection);
    if (connection instanceof ConnectionBase base) {
      present.add(connection);
      base.closeFuture()
          .onComplete(
              gone -> present.remove(connection)); // also fires after an upgrade to a WebSocket
    }
    connection.closeHandler(gone -> UnreadData.release(connection));
  }

  /** A handler that adds {@code Connection: close} to responses during a drain. */
  public Handler<HttpServerRequest> servedBy(Handler<HttpServerRequest> handler) {
    return request -> {
      if (isDraining && request.version() != HttpVersion.HTTP_2) {
        request.response().putHeader("Connection", "close");
      }
      handler.handle(request);
    };
  }

  public void startDrain() {
    isDraining = true;
  }

  /** Whether all connections that have sent anything are closed. */
  public boolean isEmpty() {
    return present.isEmpty();
  }
}
