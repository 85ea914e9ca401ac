package io.weir.spring.web;

import io.weir.rules.http.Hosts;
import io.weir.rules.http.Methods;
import io.weir.rules.http.RequestTarget;
import io.weir.rules.http.TrustedProxies;
import io.weir.rules.match.Address;
import io.weir.rules.match.MalformedRequestException;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * Reads WebFlux requests as the gateway does.
 *
 * @param principalAttribute the attribute name of the user in rules
 */
public record WebFluxRequestReader(
    TrustedProxies trusted, boolean encodedSlashes, String principalAttribute) {
  /**
   * Reads the head of a request.
   *
   * @param received the request before filters changed its path or address
   * @throws MalformedRequestException if the head is ambiguous
   */
  WebFluxRequest read(
      ServerHttpRequest request, ServerHttpRequest received, @Nullable String principal) {
    String method = request.getMethod().name();
    Methods.requireUsual(method);
    String target = RequestTarget.of(OriginalRequest.target(received), encodedSlashes);
    return new WebFluxRequest(
        request, method, target, host(request), ip(received), principalAttribute, principal);
  }

  private static @Nullable String host(ServerHttpRequest request) {
    List<String> hosts = WebFluxRequest.all(request, "Host");
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
    InetSocketAddress remote = OriginalRequest.peer(received);
    Address peer = remote == null ? null : address(remote);
    if (peer == null) {
      return TrustedProxies.UNKNOWN;
    }
    return trusted.trusts(peer)
        ? trusted.client(peer, WebFluxRequest.all(received, "X-Forwarded-For")).toString()
        : peer.toString();
  }

  /** An unresolved address may still be an IP literal. */
  private static @Nullable Address address(InetSocketAddress remote) {
    return Address.parse(
        remote.getAddress() == null
            ? remote.getHostString()
            : remote.getAddress().getHostAddress());
  }
}
