package io.weir.server.gateway;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.rules.http.HttpFields;
import io.weir.rules.match.Address;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.http.Proxies;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request that has come in, as rules see it. Nothing is copied: a header is looked up when a rule
 * asks for it.
 *
 * @param target path and query, as they were sent
 * @param peer the other end of the connection; null if it has no address
 * @param isFromProxy whether the peer is one whose word is taken
 */
record Inbound(
    HttpServerRequest request,
    String target,
    @Nullable String host,
    @Nullable Address peer,
    boolean isFromProxy,
    @Nullable String ip)
    implements HttpFields {
  static final String FORWARDED_FOR = "X-Forwarded-For";

  /**
   * Reads what has come in.
   *
   * @throws MalformedRequestException if it could mean two things: what is limited and what is
   *     forwarded would not be the same
   */
  static Inbound of(HttpServerRequest request, Proxies trusted) {
    String target = request.uri();
    if (!target.startsWith("/") || target.indexOf('#') >= 0) {
      throw new MalformedRequestException(
          "the target of a request must be a path, with a query if there is one");
    }
    Address peer = Proxies.peer(request);
    boolean isFromProxy = trusted.trusts(peer);
    String ip = null;
    if (peer != null) {
      Address client =
          isFromProxy ? trusted.client(peer, request.headers().getAll(FORWARDED_FOR)) : peer;
      ip = client.toString();
    }
    return new Inbound(request, target, host(request), peer, isFromProxy, ip);
  }

  private static @Nullable String host(HttpServerRequest request) {
    List<String> hosts = request.headers().getAll("Host");
    if (request.version() == HttpVersion.HTTP_2) {
      String authority = request.authority() == null ? null : request.authority().toString();
      if (hosts.isEmpty() || (hosts.size() == 1 && hosts.get(0).equals(authority))) {
        return authority;
      }
      throw new MalformedRequestException("the host is told twice, and not the same");
    }
    if (hosts.size() != 1 && request.version() != HttpVersion.HTTP_1_0 || hosts.size() > 1) {
      throw new MalformedRequestException("the header 'Host' must be sent once");
    }
    return hosts.isEmpty() ? null : hosts.get(0).strip();
  }

  @Override
  public String method() {
    return request.method().name();
  }

  @Override
  public List<String> values(String header) {
    return request.headers().getAll(header);
  }
}
