package io.weir.server.gateway;

import io.vertx.core.http.HttpMethod;
import io.weir.server.Forwarding.ClientBounds;

/** An upstream server as used by one event loop. */
abstract class Upstream {
  private final Origin origin;
  private final Holdings holdings;
  private int most;
  private int underWay;

  /**
   * Without requests.
   *
   * @param bounds the shares of one client
   * @param most the most requests at once
   */
  Upstream(Origin origin, ClientBounds bounds, int most) {
    this.origin = origin;
    this.holdings = new Holdings(bounds);
    this.most = most;
  }

  /** Receives a connection; called on the event loop. */
  interface Taker {
    /**
     * A connection is ready.
     *
     * @param isFirst whether it was never used. A used one may have been closed by the server
     *     before the request arrives
     */
    void connected(Leg leg, boolean isFirst);

    /** No connection could be made. */
    void notConnected(Throwable cause);

    /** Whether a connection is still wanted; called before each address of the server is tried. */
    boolean isWaiting();
  }

  final Origin origin() {
    return origin;
  }

  final boolean isFull() {
    return underWay >= most;
  }

  /** Whether a client has used up its share of the connections. */
  final boolean isClosedTo(Client client) {
    return !holdings.mayAdd(client, most);
  }

  /**
   * Requests a connection; {@link #over} must be called when the request ends.
   *
   * @param client the client of the request
   * @param isNew whether it should be a connection that was never used; only wires support this
   */
  final void ask(Client client, HttpMethod method, String target, boolean isNew, Taker taker) {
    underWay++;
    holdings.add(client);
    String prefix = origin.prefix();
    take(method, prefix.isEmpty() ? target : prefix + target, isNew, taker);
  }

  abstract void take(HttpMethod method, String target, boolean isNew, Taker taker);

  /** Changes the limit, once the server's HTTP version is known. */
  final void limit(int requests) {
    most = requests;
  }

  /** Ends a request. */
  final void over(Client client) {
    underWay--;
    holdings.remove(client);
  }
}
