package io.weir.server.gateway;

import io.vertx.core.http.HttpMethod;
import io.weir.server.Forwarding.ClientBounds;

/** A server behind the gateway, as one event loop asks it. */
abstract class Upstream {
  private final Origin origin;
  private final Holdings holdings;
  private int most;
  private int underWay;

  /**
   * Nothing is asked yet.
   *
   * @param bounds how many of them may be one client's
   * @param most how many requests there may be at once
   */
  Upstream(Origin origin, ClientBounds bounds, int most) {
    this.origin = origin;
    this.holdings = new Holdings(bounds);
    this.most = most;
  }

  /** Who wants to ask it; on the event loop. */
  interface Taker {
    /**
     * There is a connection.
     *
     * @param isFirst whether nobody has used it before. If somebody has, the server may have closed
     *     it before the request comes
     */
    void connected(Leg leg, boolean isFirst);

    /** There is none. */
    void notConnected(Throwable cause);

    /** Whether it is still wanted; asked before each address of the server. */
    boolean isWaiting();
  }

  final Origin origin() {
    return origin;
  }

  final boolean isFull() {
    return underWay >= most;
  }

  /** Whether a client has its share of the connections, so that none is left for it. */
  final boolean isClosedTo(Client client) {
    return !holdings.mayAdd(client, most);
  }

  /**
   * Asks for a connection; {@link #over} must be called at the request's end.
   *
   * @param client the one that it is asked for
   * @param isNew whether it should be one that nobody has used; only wires can tell
   */
  final void ask(Client client, HttpMethod method, String target, boolean isNew, Taker taker) {
    underWay++;
    holdings.add(client);
    String prefix = origin.prefix();
    take(method, prefix.isEmpty() ? target : prefix + target, isNew, taker);
  }

  abstract void take(HttpMethod method, String target, boolean isNew, Taker taker);

  /** It has shown how many requests there may be at once. */
  final void limit(int requests) {
    most = requests;
  }

  /** A request that was made has come to an end. */
  final void over(Client client) {
    underWay--;
    holdings.remove(client);
  }
}
