package io.weir.server.http;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import io.weir.rules.http.Proxies;
import io.weir.rules.match.Address;
import java.util.Locale;
import java.util.Objects;

/**
 * What a request shows of the web page that sent it.
 *
 * <p>A page in a browser can reach ports of its user's machine and network in two ways. It can send
 * requests to another site: browsers mark these with {@code Sec-Fetch-Site} and {@code Origin}. And
 * its own name can be made to resolve to 127.0.0.1 (DNS rebinding): its requests are then of the
 * same origin, and only their host shows the page's name. Clients that are no browsers send neither
 * header.
 */
public final class BrowserRequests {
  private BrowserRequests() {}

  /** Whether a page of another site sent it. */
  public static boolean isFromAnotherSite(HttpServerRequest request) {
    String site = request.getHeader("Sec-Fetch-Site");
    if (site != null) { // no page can set it; behind a proxy with TLS, origins are not alike
      return !site.equals("same-origin") && !site.equals("none");
    }
    String origin = request.getHeader("Origin");
    HostAndPort here = request.authority();
    return origin != null
        && (here == null || !origin.equalsIgnoreCase(request.scheme() + "://" + here));
  }

  /**
   * Whether any page sent it, of whatever site; false for what a person opens in the address bar.
   */
  public static boolean isFromPage(HttpServerRequest request) {
    String site = request.getHeader("Sec-Fetch-Site");
    return request.getHeader("Origin") != null || (site != null && !site.equals("none"));
  }

  /**
   * Whether its host is this machine: {@code localhost}, a loopback address or {@code bind}. Also
   * true without a host, which every browser sends.
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
        || Proxies.LOOPBACK.trusts(address)
        || (address != null && Objects.equals(address, Address.parse(bind)));
  }

  /**
   * Whether its host is a single word such as {@code weir}, the name of a proxy's cluster or
   * upstream. No page has such a name: there are none in the public DNS.
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
