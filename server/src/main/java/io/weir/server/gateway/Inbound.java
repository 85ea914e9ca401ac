package io.weir.server.gateway;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.rules.http.HttpFields;
import io.weir.rules.http.Target;
import io.weir.rules.match.Address;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.door.Claims;
import io.weir.server.http.Hosts;
import io.weir.server.http.Proxies;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request that has come in, as rules see it. Nothing is copied: a header is looked up when a rule
 * asks for it.
 *
 * @param target path and query, as they are passed on; see {@link Target}
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

  private static final int LONGEST_METHOD = 32;
  private static final int MOST_HEADERS = 100;

  /**
   * Reads what has come in.
   *
   * @param encodedSlashes whether {@code %2F} may be in a path
   * @throws MalformedRequestException if it could mean two things: what is limited and what is
   *     forwarded would not be the same
   */
  static Inbound of(HttpServerRequest request, Proxies trusted, boolean encodedSlashes) {
    requireUsualMethod(request.method());
    if (request.version() == HttpVersion.HTTP_2) {
      requirePlainNames(request);
    } else { // where names are looked at before
      requireHarmless(Passage.named(request.headers()));
    }
    String host = host(request);
    String raw = request.uri();
    if (raw != null && !raw.startsWith("/")) {
      Absolute absolute = Absolute.of(raw, request.version());
      if (host != null && !host.equalsIgnoreCase(absolute.host)) {
        throw new MalformedRequestException(
            "the target and the header 'Host' name different hosts");
      }
      host = absolute.host;
      raw = absolute.target;
    }
    String target = Target.of(raw == null ? "" : raw, encodedSlashes);
    Address peer = Proxies.peer(request);
    boolean isFromProxy = trusted.trusts(peer);
    String ip = null;
    if (peer != null) {
      Address client =
          isFromProxy ? trusted.client(peer, request.headers().getAll(FORWARDED_FOR)) : peer;
      ip = client.toString();
    }
    return new Inbound(request, target, host, peer, isFromProxy, ip);
  }

  /** Whether it asks about the server as such, and not about anything on it. */
  static boolean isOfNoPath(HttpServerRequest request) {
    return request.method().equals(HttpMethod.OPTIONS) && "*".equals(request.uri());
  }

  /**
   * What is not registered may pass, such as {@code PURGE}, but not {@code get}, which some servers
   * take for {@code GET}; nor what is meant for proxies rather than for the server.
   */
  private static void requireUsualMethod(HttpMethod method) {
    String name = method.name();
    boolean isUsual = !name.isEmpty() && name.length() <= LONGEST_METHOD;
    for (int i = 0; isUsual && i < name.length(); i++) {
      char c = name.charAt(i);
      isUsual = (c >= 'A' && c <= 'Z') || (i > 0 && (c == '-' || c == '_'));
    }
    if (!isUsual || method.equals(HttpMethod.CONNECT) || method.equals(HttpMethod.TRACE)) {
      throw new MalformedRequestException("this method is not passed on");
    }
  }

  /** As the door does for HTTP/1. Some servers see no difference between - and _. */
  private static void requirePlainNames(HttpServerRequest request) {
    int count = 0;
    for (Map.Entry<String, String> header : request.headers()) {
      if (++count > MOST_HEADERS) {
        throw new MalformedRequestException("there are more than " + MOST_HEADERS + " headers");
      }
      if (Claims.isDisguised(header.getKey())) {
        throw new MalformedRequestException("a header that proxies set is sent with underscores");
      }
    }
  }

  private static void requireHarmless(List<String> named) {
    for (int i = 0; i < named.size(); i++) {
      if (HeaderKind.of(named.get(i)).isNeeded()) {
        throw new MalformedRequestException(
            "the header 'Connection' names '" + named.get(i) + "', which is needed");
      }
    }
  }

  private static @Nullable String host(HttpServerRequest request) {
    String host;
    if (request.version() == HttpVersion.HTTP_2) {
      List<String> hosts = request.headers().getAll(HttpHeaders.HOST);
      String authority = request.authority() == null ? null : request.authority().toString();
      if (!hosts.isEmpty() && !(hosts.size() == 1 && hosts.get(0).equals(authority))) {
        throw new MalformedRequestException("the host is told twice, and not the same");
      }
      host = authority;
    } else { // where it is known to be sent once; see the room door
      String told = request.headers().get(HttpHeaders.HOST);
      host = told == null ? null : told.strip();
    }
    if (host != null && !Hosts.isHost(host)) {
      throw new MalformedRequestException("the host is no name and no address");
    }
    return host;
  }

  /** {@code http://host/path?query}, as it is sent to proxies. */
  private record Absolute(String host, String target) {
    static Absolute of(String raw, HttpVersion version) {
      int scheme = raw.regionMatches(true, 0, "http://", 0, 7) ? 7 : 8;
      boolean isAbsolute =
          version != HttpVersion.HTTP_2
              && (scheme == 7 || raw.regionMatches(true, 0, "https://", 0, 8));
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

  @Override
  public @Nullable String attribute(String name) {
    return name.equals("path") ? Target.path(target) : HttpFields.super.attribute(name);
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
