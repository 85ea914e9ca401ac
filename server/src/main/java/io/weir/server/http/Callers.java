package io.weir.server.http;

import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.http.Proxies;

/**
 * Who may give back what was taken: whoever has shown a token or a certificate, and otherwise this
 * machine alone, but for a web page that somebody there happens to look at: browsers say so.
 * Everybody else could give themselves what they like.
 */
public final class Callers {
  private final boolean areKnown;
  private final Proxies near;

  /**
   * Callers of one port.
   *
   * @param areKnown whether whoever gets here has shown a token or a certificate
   * @param near who may in any case
   */
  public Callers(boolean areKnown, Proxies near) {
    this.areKnown = areKnown;
    this.near = near;
  }

  /** Whether the caller may give back. */
  public boolean mayGiveBack(HttpServerRequest request) {
    return areKnown || (near.trusts(Remote.of(request)) && !BrowserRequests.isFromPage(request));
  }

  /**
   * Whether the caller may take what it does not use at once, and say later what it has used:
   * whoever gets here, but for a web page, which cannot even read the answer.
   */
  public boolean mayReserve(HttpServerRequest request) {
    return areKnown || !BrowserRequests.isFromPage(request);
  }
}
