package io.weir.server.service;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.weir.server.ServerSettings;
import io.weir.server.http.BrowserRequests;
import io.weir.server.http.HttpResponses;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests of web pages: a page open in a browser on this machine or network could
 * otherwise spend permits of others. Thread-safe.
 *
 * <ul>
 *   <li>This port serves no pages, so no request with {@code Origin}, or with a {@code
 *       Sec-Fetch-Site} that marks it as a page's, is legitimate.
 *   <li>A page under a name that resolves to this machine sends neither with a GET. On a loopback
 *       port, for clients without a certificate, the host must be this machine or a single word, as
 *       proxies name their upstreams.
 *   <li>Other ports may have any name, and browsers do not mark a GET to another machine without
 *       TLS, such as that for an image. There a GET needs {@code Content-Type: application/json}: a
 *       browser sends a preflight request before that, which is refused.
 *   <li>{@code /v1/auth} is not checked. Proxies pass on what browsers send, including the host. A
 *       page of another site cannot add the headers that a decision there requires.
 *   <li>With a token there is nothing to refuse: no page has it. gRPC is handled before this.
 * </ul>
 */
public final class BrowserRequestGuard {
  private final boolean needsToken;
  private final boolean checksHost;
  private final boolean checksType;
  private final String bind;

  /**
   * For the service port of these settings.
   *
   * @param isLoopback whether only this machine reaches the port
   */
  public BrowserRequestGuard(ServerSettings serverSettings, boolean isLoopback) {
    needsToken = serverSettings.service().token().isPresent();
    checksHost = isLoopback && !serverSettings.service().knowsCallers();
    checksType = !isLoopback && !serverSettings.service().knowsCallers();
    bind = serverSettings.bind();
  }

  /** Passes all requests but those of pages to {@code next}. */
  public Handler<HttpServerRequest> before(Handler<HttpServerRequest> next) {
    if (needsToken) {
      return next;
    }
    return request -> {
      String objection = "/v1/auth".equals(request.path()) ? null : objection(request);
      if (objection == null) {
        next.handle(request);
      } else {
        HttpResponses.send(request, HttpResponses.error(403, "forbidden", objection));
      }
    };
  }

  private @Nullable String objection(HttpServerRequest request) {
    if (BrowserRequests.isFromPage(request)) {
      return "web pages may not use this port; a service that passes on browsers' requests must"
          + " remove Origin and Sec-Fetch-Site, or send the service token";
    }
    if (checksHost
        && !BrowserRequests.isForThisMachine(request, bind)
        && !BrowserRequests.isForSingleLabel(request)) {
      return "without a service token this port accepts only requests to localhost, loopback addresses"
          + " and names without a dot";
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
