package io.weir.server.service;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.weir.server.Settings;
import io.weir.server.http.BrowserRequests;
import io.weir.server.http.Replies;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests of web pages: a page that a person on this machine or in this network happens to
 * look at could spend permits of others otherwise.
 *
 * <ul>
 *   <li>No page is served here, so no request with {@code Origin}, or that {@code Sec-Fetch-Site}
 *       marks as a page's, is meant.
 *   <li>A page under a name that resolves to this machine sends neither with a GET. On a port of
 *       loopback, for clients that show no certificate, the host must be this machine or a single
 *       word, as proxies call their upstreams.
 *   <li>Elsewhere a port is known by any name, and browsers mark no GET that goes to another
 *       machine in clear, such as that for an image. There a GET needs {@code Content-Type:
 *       application/json}: a browser asks before it sends that for a page, and is not allowed to.
 *   <li>{@code /v1/auth} is not looked at. Proxies pass on what browsers send, host and all; a page
 *       of another site cannot add the headers without which nothing is decided there.
 *   <li>With a token there is nothing to refuse: no page has it. gRPC is answered before this.
 * </ul>
 */
public final class PageGuard {
  private final boolean needsToken;
  private final boolean checksHost;
  private final boolean checksType;
  private final String bind;

  /**
   * For the service port of these settings.
   *
   * @param isLoopback whether only this machine reaches the port
   */
  public PageGuard(Settings settings, boolean isLoopback) {
    needsToken = settings.service().token().isPresent();
    checksHost = isLoopback && !settings.service().knowsCallers();
    checksType = !isLoopback && !settings.service().knowsCallers();
    bind = settings.bind();
  }

  /** Hands all requests but those of pages to {@code next}. */
  public Handler<HttpServerRequest> before(Handler<HttpServerRequest> next) {
    if (needsToken) {
      return next;
    }
    return request -> {
      String objection = "/v1/auth".equals(request.path()) ? null : objection(request);
      if (objection == null) {
        next.handle(request);
      } else {
        Replies.send(request, Replies.error(403, "forbidden", objection));
      }
    };
  }

  private @Nullable String objection(HttpServerRequest request) {
    if (BrowserRequests.isFromPage(request)) {
      return "web pages may not ask this port; a service that passes on what browsers send must"
          + " leave out Origin and Sec-Fetch-Site, or bring the service token";
    }
    if (checksHost
        && !BrowserRequests.isForThisMachine(request, bind)
        && !BrowserRequests.isForSingleLabel(request)) {
      return "without a service token this port answers to localhost, loopback addresses and names"
          + " without a dot, and to no other host";
    }
    if (checksType && isPlainGet(request)) {
      return "off loopback, without a service token or client certificates, a GET needs"
          + " 'Content-Type: application/json', which no web page can send; or use POST";
    }
    return null;
  }

  private static boolean isPlainGet(HttpServerRequest request) {
    if (request.method() != HttpMethod.GET && request.method() != HttpMethod.HEAD) {
      return false; // browsers send Origin with it
    }
    String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
    if (type == null) {
      return true;
    }
    int parameters = type.indexOf(';');
    String essence = parameters < 0 ? type : type.substring(0, parameters);
    return !essence.strip().equalsIgnoreCase("application/json");
  }
}
