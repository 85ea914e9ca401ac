package io.weir.server.http;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import io.weir.rules.http.TrustedProxies;
import io.weir.rules.match.Address;
import java.util.Locale;
import java.util.Objects;

/**
 * Recognizes requests sent by web pages, and from which site.
 *
 * <p>A page in a browser can reach ports of its user's machine and network in two ways. It can send
 * requests to another site; browsers mark these with {@code Sec-Fetch-Site} and {@code Origin}. Or
 * its own host name resolves to 127.0.0.1 (DNS rebinding); such requests are same-origin, and only
 * their host shows the page's name. Clients other than browsers send neither header.
 */
public final class BrowserRequests {
  private BrowserRequests() {}

  /** Whether a page of another site sent the request. */
  public static boolean isFromAnotherSite(HttpServerRequest request) {
    String site = request.getHeader("Sec-Fetch-Site");
    if (site != null) { // pages cannot set it; Origin is wrong behind a proxy that terminates TLS
      return !site.equals("same-origin") && !site.equals("none");
    }
    String origin = request.getHeader("Origin");
    HostAndPort here = request.authority();
    return origin != null
        && (here == null || !origin.equalsIgnoreCase(request.scheme() + "://" + here));
  }

  /**
   * Whether any page sent the request, of any site; false for a URL opened from the address bar.
   */
  public static boolean isFromPage(HttpServerRequest request) {
    String site = request.getHeader("Sec-Fetch-Site");
    return request.getHeader("Origin") != null || (site != null && !site.equals("none"));
  }

  /**
   * Whether the request's host is this machine: {@code localhost}, a loopback address or {@code
   * bind}. Also true without a host, which every browser sends.
   *
   * @param bind the address that the port listens on
   */
  public static boolean isForThisMachine(HttpServerRequest request, String bind) {
    HostAndPort authority = request.authority();
    int named = request.headers().getAll("Host").size();
    if (authority == null || named > 1) {
      return named == 0;
    }
    String host = authority.host().toLowerCase(Locale.ROOT);
    Address address = Address.parse(host);
    return host.equals("localhost")
        || host.equals(bind.toLowerCase(Locale.ROOT))
        || TrustedProxies.LOOPBACK.trusts(address)
        || (address != null && Objects.equals(address, Address.parse(bind)));
  }

  /**
   * Whether the request's host is a single label such as {@code weir}, like the name of a proxy's
   * cluster or upstream. No page has such a host, because the public DNS has no single labels.
   */
  public static boolean isForSingleLabel(HttpServerRequest request) {
    HostAndPort authority = request.authority();
    if (authority == null || request.headers().getAll("Host").size() > 1) {
      return false;
    }
    String host = authority.host();
    return host.indexOf('.') < 0 && host.indexOf(':') < 0;
  }
}
