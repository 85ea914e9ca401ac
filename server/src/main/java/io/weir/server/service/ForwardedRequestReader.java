package io.weir.server.service;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.http.Header;
import io.weir.rules.http.HttpRequest;
import io.weir.rules.http.TrustedProxies;
import io.weir.rules.http.Url;
import io.weir.rules.match.Address;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.http.TokenAuth;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the request that a proxy describes in the headers of the proxy's request.
 *
 * <p>Any header that a proxy does not set itself may come from its client: proxies forward unknown
 * headers. So there are two families of headers, each used whole or not at all. If both are present
 * and contradict each other, neither is used.
 */
final class ForwardedRequestReader {
  /*
   *             target                method                 sent by
   *   original  X-Original-URI        X-Original-Method      nginx, as its configuration says
   *             X-Original-URL                               ingress-nginx
   *   forwarded X-Forwarded-Uri       X-Forwarded-Method     Traefik, Caddy
   *
   *   host      X-Forwarded-Host, else that of X-Original-URL, else Host
   *   address   X-Forwarded-For, read from its end through trusted proxies
   *   others    as they are: keys, cookies
   */

  private final TrustedProxies trusted;

  /** Whether {@code Authorization} may be the proxy's own. */
  private final boolean requiresToken;

  private final PathNormalizer pathNormalizer;

  ForwardedRequestReader(
      TrustedProxies trusted, boolean requiresToken, PathNormalizer pathNormalizer) {
    this.pathNormalizer = pathNormalizer;
    this.trusted = trusted;
    this.requiresToken = requiresToken;
  }

  /**
   * The request that {@code peer}, a trusted proxy, describes.
   *
   * @throws MissingHeaderException if the proxy does not send enough headers
   * @throws MalformedRequestException if the headers contradict each other: a proxy sets each
   *     header once, so the client has caused that
   */
  HttpRequest of(HttpServerRequest request, Address peer) {
    MultiMap headers = request.headers();
    Url url = url(headers);
    AgreedValue target = new AgreedValue("target");
    target.add("X-Original-URI", once(headers, "X-Original-URI"));
    target.add("X-Original-URL", url == null ? null : url.target());
    boolean isOriginal = target.value != null;
    target.add("X-Forwarded-Uri", once(headers, "X-Forwarded-Uri"));
    if (target.value == null) {
      throw new MissingHeaderException(
          "the proxy must send the target: X-Original-URI with X-Original-Method (nginx), or"
              + " X-Forwarded-Uri with X-Forwarded-Method (Traefik, Caddy)");
    }
    requireVisible(target.value);
    String methodHeader = isOriginal ? "X-Original-Method" : "X-Forwarded-Method";
    String other = isOriginal ? "X-Forwarded-Method" : "X-Original-Method";
    AgreedValue method = new AgreedValue("method");
    method.add(methodHeader, once(headers, methodHeader));
    if (method.value == null) {
      throw new MissingHeaderException("the proxy must send the method: " + methodHeader);
    }
    method.add(other, once(headers, other));
    String host = once(headers, "X-Forwarded-Host");
    if (host == null) {
      host = url == null || url.host() == null ? once(headers, "Host") : url.host();
    }
    if (host == null && request.authority() != null) {
      host = request.authority().toString();
    }
    String ip = trusted.client(peer, headers.getAll("X-Forwarded-For")).toString();
    return new HttpRequest(
        method.value, pathNormalizer.target(target.value), others(headers), ip, host, 1);
  }

  /**
   * Requires visible ASCII. Raw UTF-8 bytes in a header are read as Latin-1, which would be another
   * path.
   */
  private static void requireVisible(String target) {
    for (int i = 0; i < target.length(); i++) {
      char c = target.charAt(i);
      if (c <= ' ' || c >= 0x7f || c == '#') {
        throw new MalformedRequestException(
            "the target has a character that must be escaped, such as %20 or %C3%BC");
      }
    }
  }

  private static @Nullable Url url(MultiMap headers) {
    String text = once(headers, "X-Original-URL");
    if (text == null) {
      return null;
    }
    try {
      return Url.parse(text);
    } catch (IllegalArgumentException e) {
      throw new MalformedRequestException("X-Original-URL: " + e.getMessage());
    }
  }

  private static @Nullable String once(MultiMap headers, String name) {
    List<String> all = headers.getAll(name);
    if (all.size() > 1) {
      throw new MalformedRequestException(name + " is there twice");
    }
    return all.isEmpty() || all.get(0).isBlank() ? null : all.get(0).strip();
  }

  private List<Header> others(MultiMap headers) {
    boolean isProxys = requiresToken && !headers.contains(TokenAuth.HEADER);
    List<Header> all = new ArrayList<>(headers.size());
    for (Map.Entry<String, String> header : headers) {
      String name = header.getKey();
      boolean isToken =
          name.equalsIgnoreCase(TokenAuth.HEADER)
              || (isProxys && name.equalsIgnoreCase("Authorization"));
      if (!isToken) {
        all.add(new Header(name, header.getValue()));
      }
    }
    return all;
  }

  /** The proxy is not configured for {@code /v1/auth}. */
  static final class MissingHeaderException extends RuntimeException {
    private static final long serialVersionUID = 1;

    MissingHeaderException(String message) {
      super(message, null, false, false);
    }
  }

  /** A value that several headers may have, as long as they agree. */
  private static final class AgreedValue {
    private final String what;
    private @Nullable String value;
    private String by = "";

    AgreedValue(String what) {
      this.what = what;
    }

    void add(String header, @Nullable String other) {
      if (other == null) {
        return;
      }
      if (value != null && !value.equals(other)) {
        throw new MalformedRequestException(
            by
                + " and "
                + header
                + " disagree about the "
                + what
                + "; the proxy must set one of"
                + " them and drop the other");
      }
      if (value == null) {
        value = other;
        by = header;
      }
    }
  }
}
