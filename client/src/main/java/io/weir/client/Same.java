package io.weir.client;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Optional;

/**
 * The key by which requests are coalesced: address, headers, caller, and timeout of one attempt.
 *
 * @param owner the identity of the caller
 */
record Same(
    URI uri,
    HttpHeaders headers,
    String owner,
    Optional<Duration> timeout,
    Optional<HttpClient.Version> version) {

  static Same of(HttpRequest request, Engine engine) {
    return new Same(
        request.uri(),
        request.headers(),
        Owner.of(request, engine),
        request.timeout(),
        request.version());
  }
}
