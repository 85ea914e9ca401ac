package io.weir.server.http;

import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.http.TrustedProxies;

/**
 * Decides which callers may refund permits. Callers that have presented a token or a certificate
 * may; otherwise only this machine may, except for web pages opened in its browsers. Any other
 * caller could grant itself permits without limit. Immutable and thread-safe.
 */
public final class RefundAuthorization {
  private final boolean areKnown;
  private final TrustedProxies near;

  /**
   * The rules of one port.
   *
   * @param areKnown whether the port requires a token or a certificate of every caller
   * @param near addresses that may refund in any case
   */
  public RefundAuthorization(boolean areKnown, TrustedProxies near) {
    this.areKnown = areKnown;
    this.near = near;
  }

  /** Whether the caller may refund permits. */
  public boolean mayRefund(HttpServerRequest request) {
    return areKnown
        || (near.trusts(PeerAddress.of(request)) && !BrowserRequests.isFromPage(request));
  }

  /**
   * Whether the caller may reserve permits and settle them later. Every caller may, except a web
   * page without authentication, which cannot even read the response.
   */
  public boolean mayReserve(HttpServerRequest request) {
    return areKnown || !BrowserRequests.isFromPage(request);
  }
}
