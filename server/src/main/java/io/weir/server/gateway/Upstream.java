package io.weir.server.gateway;

import io.vertx.core.http.HttpMethod;
import io.weir.server.Forwarding.ClientLimits;

/** An upstream server as used by one event loop. */
abstract class Upstream {
  private final UpstreamServer upstreamServer;
  private final ClientShares clientShares;
  private int maxRequests;
  private int underWay;

  /**
   * Without requests.
   *
   * @param bounds the shares of one client
   * @param maxRequests the most requests at once
   */
  Upstream(UpstreamServer upstreamServer, ClientLimits bounds, int maxRequests) {
    this.upstreamServer = upstreamServer;
    this.clientShares = new ClientShares(bounds);
    this.maxRequests = maxRequests;
  }

  /** Receives a connection; called on the event loop. */
  interface ConnectCallback {
    /**
     * A connection is ready.
     *
     * @param isFirst whether it was never used. A used one may have been closed by the server
     *     before the request arrives
     */
    void connected(UpstreamRequest upstreamRequest, boolean isFirst);

    /** No connection could be made. */
    void notConnected(Throwable cause);

    /** Whether a connection is still wanted; called before each address of the server is tried. */
    boolean isWaiting();
  }

  final UpstreamServer upstreamServer() {
    return upstreamServer;
  }

  final boolean isFull() {
    return underWay >= maxRequests;
  }

  /** Whether a client has used up its share of the connections. */
  final boolean isClosedTo(ClientIdentity clientIdentity) {
    return !clientShares.mayAdd(clientIdentity, maxRequests);
  }

  /**
   * Requests a connection; {@link #over} must be called when the request ends.
   *
   * @param clientIdentity the client of the request
   * @param isNew whether it should be a connection that was never used; only HTTP/1 pools support
   *     this
   */
  final void connect(
      ClientIdentity clientIdentity,
      HttpMethod method,
      String target,
      boolean isNew,
      ConnectCallback connectCallback) {
    count(clientIdentity);
    String prefix = upstreamServer.prefix();
    take(
        clientIdentity,
        method,
        prefix.isEmpty() ? target : prefix + target,
        isNew,
        connectCallback);
  }

  abstract void take(
      ClientIdentity clientIdentity,
      HttpMethod method,
      String target,
      boolean isNew,
      ConnectCallback connectCallback);

  /** Changes the limit, once the server's HTTP version is known. */
  final void limit(int requests) {
    maxRequests = requests;
  }

  /** Ends a request. */
  final void over(ClientIdentity clientIdentity) {
    uncount(clientIdentity);
    if (underWay == 0) {
      idle();
    }
  }

  /** The last request has ended. */
  void idle() {}

  final void count(ClientIdentity clientIdentity) {
    underWay++;
    clientShares.add(clientIdentity);
  }

  /** Takes a request out of the count; it must be counted again. */
  final void uncount(ClientIdentity clientIdentity) {
    underWay--;
    clientShares.remove(clientIdentity);
  }
}
