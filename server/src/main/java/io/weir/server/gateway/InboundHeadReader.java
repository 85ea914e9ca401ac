package io.weir.server.gateway;

import io.netty.handler.codec.http.HttpRequest;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.rules.http.Hosts;
import io.weir.rules.http.Methods;
import io.weir.rules.http.RequestTarget;
import io.weir.rules.http.TrustedProxies;
import io.weir.rules.match.Address;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.connection.ForwardingHeaders;
import io.weir.server.connection.Hixie76;
import io.weir.server.http.PeerAddress;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the heads of requests. Ambiguous requests are refused: the limited request and the
 * forwarded request could differ.
 *
 * @param encodedSlashes whether paths may contain {@code %2F}
 */
record InboundHeadReader(TrustedProxies trusted, boolean encodedSlashes) {
  private static final String FORWARDED_FOR = "X-Forwarded-For";

  private static final int MAX_HEADERS = 100;

  /**
   * Reads the head of a request.
   *
   * @throws MalformedRequestException if the request is ambiguous
   */
  InboundHead read(HttpServerRequest request) {
    String method = request.method().name();
    MultiMap headers = request.headers();
    Address peer = PeerAddress.of(request);
    if (request.version() != HttpVersion.HTTP_2) {
      return readHttp1(method, request.uri(), headers, peer);
    }
    Methods.requireUsual(method);
    requirePlainNames(headers);
    return read(method, request.uri(), headers, hostOfHttp2(request), true, peer);
  }

  /**
   * {@link #read(HttpServerRequest)} for a request that is not dispatched yet.
   *
   * @param headers the headers of the request
   * @param peer the address of the connection's peer
   */
  InboundHead read(HttpRequest request, MultiMap headers, Address peer) {
    return readHttp1(request.method().name(), request.uri(), headers, peer);
  }

  /**
   * The package {@code io.weir.server.connection} has already validated the header names and the
   * single Host header.
   */
  private InboundHead readHttp1(
      String method, @Nullable String uri, MultiMap headers, @Nullable Address peer) {
    Methods.requireUsual(method);
    requireHarmless(RequestHeaderFilter.named(headers));
    String hostHeader = headers.get(HttpHeaders.HOST);
    return read(method, uri, headers, hostHeader == null ? null : hostHeader.strip(), false, peer);
  }

  private InboundHead read(
      String method,
      @Nullable String uri,
      MultiMap headers,
      @Nullable String hostHeader,
      boolean isHttp2,
      @Nullable Address peer) {
    String host = hostHeader;
    if (host != null && !Hosts.isHost(host)) {
      throw new MalformedRequestException("invalid Host header");
    }
    String raw = uri;
    if (raw != null && !raw.startsWith("/")) {
      Absolute absolute = Absolute.of(raw, isHttp2);
      if (host != null && !host.equalsIgnoreCase(absolute.host)) {
        throw new MalformedRequestException(
            "the target and the header 'Host' name different hosts");
      }
      host = absolute.host;
      raw = absolute.target;
    }
    String target = RequestTarget.of(raw == null ? "" : raw, encodedSlashes);
    boolean isFromProxy = trusted.trusts(peer);
    Address client =
        peer != null && isFromProxy ? trusted.client(peer, headers.getAll(FORWARDED_FOR)) : peer;
    return new InboundHead(method, headers, target, host, peer, isFromProxy, client);
  }

  /**
   * Validates HTTP/2 headers as {@code io.weir.server.connection} does for HTTP/1. Some servers
   * read _ as -.
   */
  private static void requirePlainNames(MultiMap headers) {
    int count = 0;
    boolean hasExpectation = false;
    for (Map.Entry<String, String> header : headers) {
      if (++count > MAX_HEADERS) {
        throw new MalformedRequestException("there are more than " + MAX_HEADERS + " headers");
      }
      if (Hixie76.isKey(header.getKey())) {
        throw new MalformedRequestException(Hixie76.REFUSAL);
      }
      if (ForwardingHeaders.isDisguised(header.getKey())) {
        throw new MalformedRequestException(
            "a header that proxies set must not be sent with underscores");
      }
      if (header.getKey().equalsIgnoreCase("Expect")) {
        if (hasExpectation) {
          throw new MalformedRequestException("the header 'Expect' must be sent once at most");
        }
        hasExpectation = true;
      }
    }
  }

  private static void requireHarmless(List<String> named) {
    for (int i = 0; i < named.size(); i++) {
      if (HeaderKind.of(named.get(i)).isNeeded()) {
        throw new MalformedRequestException(
            "the header 'Connection' names '" + named.get(i) + "', which must be forwarded");
      }
    }
  }

  private static @Nullable String hostOfHttp2(HttpServerRequest request) {
    List<String> hosts = request.headers().getAll(HttpHeaders.HOST);
    String authority = request.authority() == null ? null : request.authority().toString();
    if (!hosts.isEmpty() && !(hosts.size() == 1 && hosts.get(0).equals(authority))) {
      throw new MalformedRequestException("':authority' and the header 'Host' differ");
    }
    return authority;
  }

  /** A target in absolute form, {@code http://host/path?query}, as clients send to proxies. */
  private record Absolute(String host, String target) {
    static Absolute of(String raw, boolean isHttp2) {
      int scheme = raw.regionMatches(true, 0, "http://", 0, 7) ? 7 : 8;
      boolean isAbsolute =
          !isHttp2 && (scheme == 7 || raw.regionMatches(true, 0, "https://", 0, 8));
      int end = scheme;
      while (isAbsolute && end < raw.length() && "/?#".indexOf(raw.charAt(end)) < 0) {
        end++;
      }
      if (!isAbsolute || !Hosts.isHost(raw.substring(scheme, end))) {
        throw new MalformedRequestException(
            "the target of a request must be a path, with a query if there is one");
      }
      String rest = raw.substring(end);
      return new Absolute(raw.substring(scheme, end), rest.startsWith("/") ? rest : "/" + rest);
    }
  }
}
