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
record RequestKey(
    URI uri,
    HttpHeaders headers,
    String owner,
    Optional<Duration> timeout,
    Optional<HttpClient.Version> version) {

  static RequestKey of(HttpRequest request, ClientContext clientContext) {
    return new RequestKey(
        request.uri(),
        request.headers(),
        CachePartition.of(request, clientContext),
        request.timeout(),
        request.version());
  }
}
