package io.weir.grpc;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.weir.rules.http.Hosts;
import io.weir.rules.http.RequestTarget;
import io.weir.rules.http.TrustedProxies;
import io.weir.rules.match.Address;
import io.weir.rules.match.MalformedRequestException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads the heads of calls, in the way other front ends read requests.
 *
 * @param attributes attributes set by the application
 */
record GrpcRequestReader(
    TrustedProxies trusted,
    Map<String, BiFunction<ServerCall<?, ?>, Metadata, @Nullable String>> attributes) {
  /**
   * Reads the head of a call.
   *
   * @throws MalformedRequestException if the head is ambiguous
   */
  GrpcRequest read(ServerCall<?, ?> call, Metadata headers) {
    String host = call.getAuthority();
    if (host != null && !Hosts.isHost(host)) {
      throw new MalformedRequestException("the host is no name and no address");
    }
    String target = RequestTarget.of('/' + call.getMethodDescriptor().getFullMethodName());
    return new GrpcRequest(call, headers, target, host, ip(call, headers), attributes);
  }

  private String ip(ServerCall<?, ?> call, Metadata headers) {
    Address peer =
        call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR) instanceof InetSocketAddress inet
                && inet.getAddress() != null
            ? Address.parse(inet.getAddress().getHostAddress())
            : null;
    if (peer == null) {
      return TrustedProxies.UNKNOWN; // an in-process call, or a socket without an address
    }
    return trusted.trusts(peer)
        ? trusted.client(peer, GrpcRequest.values(headers, "X-Forwarded-For")).toString()
        : peer.toString();
  }
}
