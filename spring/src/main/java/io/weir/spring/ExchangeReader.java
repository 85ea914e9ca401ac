package io.weir.spring;

import io.weir.rules.http.Hosts;
import io.weir.rules.http.Methods;
import io.weir.rules.http.Proxies;
import io.weir.rules.http.Target;
import io.weir.rules.match.Address;
import io.weir.rules.match.MalformedRequestException;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * Reads requests of WebFlux as the gateway does.
 *
 * @param principalAttribute what rules call the user
 */
record ExchangeReader(Proxies trusted, boolean encodedSlashes, String principalAttribute) {
  /**
   * Reads what has come in.
   *
   * @param received the request before anybody has changed its path and its address
   * @throws MalformedRequestException if it could mean two things
   */
  ExchangeHead read(
      ServerHttpRequest request, ServerHttpRequest received, @Nullable String principal) {
    String method = request.getMethod().name();
    Methods.requireUsual(method);
    String target = Target.of(Received.target(received), encodedSlashes);
    return new ExchangeHead(
        request, method, target, host(request), ip(received), principalAttribute, principal);
  }

  private static @Nullable String host(ServerHttpRequest request) {
    List<String> hosts = ExchangeHead.all(request, "Host");
    if (hosts.size() > 1) {
      throw new MalformedRequestException("the header 'Host' must be sent once");
    }
    String host = hosts.isEmpty() ? null : hosts.get(0).strip();
    if (host != null && !Hosts.isHost(host)) {
      throw new MalformedRequestException("the host is no name and no address");
    }
    return host;
  }

  private String ip(ServerHttpRequest received) {
    InetSocketAddress remote = Received.peer(received);
    Address peer = remote == null ? null : address(remote);
    if (peer == null) {
      return Proxies.UNKNOWN;
    }
    return trusted.trusts(peer)
        ? trusted.client(peer, ExchangeHead.all(received, "X-Forwarded-For")).toString()
        : peer.toString();
  }

  /** What was not looked up may be an address all the same. */
  private static @Nullable Address address(InetSocketAddress remote) {
    return Address.parse(
        remote.getAddress() == null
            ? remote.getHostString()
            : remote.getAddress().getHostAddress());
  }
}
