package io.weir.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.CookieHandler;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * What makes requests the same: where they go, with which headers, for whom, and how long an
 * attempt may take.
 *
 * @param owner the credentials, those in the wrapped client's cookies included
 */
record Same(
    URI uri,
    HttpHeaders headers,
    String owner,
    Optional<Duration> timeout,
    Optional<HttpClient.Version> version) {

  static Same of(HttpRequest request, HttpClient http) {
    String cookies = http.cookieHandler().map(jar -> cookies(jar, request)).orElse("");
    String owner = Scopes.ofOriginAndCredentials(request) + "\n" + cookies;
    return new Same(request.uri(), request.headers(), owner, request.timeout(), request.version());
  }

  private static String cookies(CookieHandler jar, HttpRequest request) {
    try {
      return jar.get(request.uri(), Map.of()).toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
