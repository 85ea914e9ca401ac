package io.weir.server.gateway;

import io.netty.util.AsciiString;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.rules.match.Address;
import io.weir.server.codec.HeaderIteration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Filters and extends the request headers that are forwarded; hop-by-hop headers are dropped. */
final class RequestHeaderFilter {
  private static final CharSequence FORWARDED_FOR = HttpHeaders.createOptimized("X-Forwarded-For");
  private static final CharSequence FORWARDED_HOST =
      HttpHeaders.createOptimized("X-Forwarded-Host");
  private static final CharSequence FORWARDED_PROTO =
      HttpHeaders.createOptimized("X-Forwarded-Proto");
  private static final CharSequence FORWARDED = HttpHeaders.createOptimized("Forwarded");
  private static final CharSequence VIA = HttpHeaders.createOptimized("Via");
  private static final CharSequence TE = HttpHeaders.createOptimized("TE");
  private static final CharSequence TRAILERS = HttpHeaders.createOptimized("trailers");

  private final InboundRequest inboundRequest;
  private final MultiMap to;
  private final boolean isTrustedProxy;
  private @Nullable String forwardedFor;
  private @Nullable String forwarded;
  private @Nullable String via;
  private boolean hasHost;
  private boolean hasProto;
  private boolean wantsTrailers;

  private RequestHeaderFilter(InboundRequest inboundRequest, MultiMap to) {
    this.inboundRequest = inboundRequest;
    this.to = to;
    this.isTrustedProxy = inboundRequest.isFromProxy();
  }

  /**
   * Copies the headers to forward. Headers that report the client are copied only from trusted
   * proxies.
   *
   * @param isHttp2 whether the request is sent over HTTP/2, which supports trailers
   */
  static void copy(InboundRequest inboundRequest, MultiMap to, boolean isHttp2) {
    RequestHeaderFilter requestHeaderFilter = new RequestHeaderFilter(inboundRequest, to);
    MultiMap from = inboundRequest.request().headers();
    List<String> named = named(from);
    for (var all = HeaderIteration.of(from); all.hasNext(); ) {
      Map.Entry<? extends CharSequence, ? extends CharSequence> header = all.next();
      CharSequence name = header.getKey();
      HeaderKind kind = HeaderKind.of(name);
      if (named.isEmpty() || !kind.mayBeNamed() || !isAmong(named, name)) {
        requestHeaderFilter.take(kind, name, header.getValue());
      }
    }
    requestHeaderFilter.addOurs(isHttp2);
  }

  private void take(HeaderKind kind, CharSequence name, CharSequence value) {
    switch (kind) {
      case HOP, OLD_WEB_SOCKET, CONNECTION, UPGRADE, TRAILER, TRANSFER_ENCODING, HOST -> {}
      case TE -> wantsTrailers |= AsciiString.containsIgnoreCase(value, TRAILERS);
      case VIA -> via = joined(via, value);
      case CLAIM -> addIf(isTrustedProxy, name, value);
      case FORWARDED_FOR -> forwardedFor = isTrustedProxy ? joined(forwardedFor, value) : null;
      case FORWARDED -> forwarded = isTrustedProxy ? joined(forwarded, value) : null;
      case FORWARDED_HOST -> {
        hasHost |= isTrustedProxy;
        addIf(isTrustedProxy, name, value);
      }
      case FORWARDED_PROTO -> {
        hasProto |= isTrustedProxy;
        addIf(isTrustedProxy, name, value);
      }
      default -> {
        if (name.charAt(0) != ':') { // a pseudo-header of HTTP/2
          to.add(name, value);
        }
      }
    }
  }

  private void addIf(boolean condition, CharSequence name, CharSequence value) {
    if (condition) {
      to.add(name, value);
    }
  }

  private void addOurs(boolean isHttp2) {
    HttpServerRequest request = inboundRequest.request();
    Address peer = inboundRequest.peer();
    String address = peer == null ? "unknown" : peer.toString();
    String proto = request.isSSL() ? "https" : "http";
    String host = inboundRequest.host();
    to.add(FORWARDED_FOR, joined(forwardedFor, address));
    if (host != null && !hasHost) {
      to.add(FORWARDED_HOST, host);
    }
    if (!hasProto) {
      to.add(FORWARDED_PROTO, proto);
    }
    to.add(FORWARDED, joined(forwarded, element(address, host, proto)));
    to.add(VIA, joined(via, via(request.version())));
    if (wantsTrailers && isHttp2) {
      to.add(TE, TRAILERS);
    }
  }

  /** An element by RFC 7239: {@code for="[2001:db8::1]";host="shop.example:8080";proto=https}. */
  private static String element(String address, @Nullable String host, String proto) {
    StringBuilder text = new StringBuilder(80).append("for=");
    if (address.indexOf(':') >= 0) {
      text.append("\"[").append(address).append("]\"");
    } else {
      text.append(address);
    }
    if (host != null && host.indexOf('"') < 0 && host.indexOf('\\') < 0) {
      text.append(";host=\"").append(host).append('"');
    }
    return text.append(";proto=").append(proto).toString();
  }

  /** The Via entry of a message received over {@code version}: {@code 1.1 weir}. */
  static String via(HttpVersion version) {
    return switch (version) {
      case HTTP_2 -> "2 weir";
      case HTTP_1_0 -> "1.0 weir";
      default -> "1.1 weir";
    };
  }

  static String joined(@Nullable String before, CharSequence value) {
    return before == null ? value.toString() : before + ", " + value;
  }

  /** The header names that {@code Connection} marks as hop-by-hop. */
  static List<String> named(MultiMap headers) {
    List<String> names = List.of();
    if (!headers.contains(HttpHeaders.CONNECTION)) {
      return names;
    }
    for (var all = HeaderIteration.of(headers); all.hasNext(); ) {
      Map.Entry<? extends CharSequence, ? extends CharSequence> header = all.next();
      if (AsciiString.contentEqualsIgnoreCase(header.getKey(), HttpHeaders.CONNECTION)
          && !isOfConnection(header.getValue())) {
        names = names.isEmpty() ? new ArrayList<>(2) : names;
        for (String name : header.getValue().toString().split(",", -1)) {
          names.add(name.strip());
        }
      }
    }
    return names;
  }

  /** Whether the value names no header, as is usual. */
  private static boolean isOfConnection(CharSequence value) {
    return AsciiString.contentEqualsIgnoreCase(value, HttpHeaders.KEEP_ALIVE)
        || AsciiString.contentEqualsIgnoreCase(value, HttpHeaders.CLOSE);
  }

  static boolean isAmong(List<String> names, CharSequence name) {
    for (int i = 0; i < names.size(); i++) {
      if (AsciiString.contentEqualsIgnoreCase(names.get(i), name)) {
        return true;
      }
    }
    return false;
  }
}
