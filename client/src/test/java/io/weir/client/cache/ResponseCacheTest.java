package io.weir.client.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** Keys and headers take memory too, not only bodies. */
class ResponseCacheTest {
  private static final long MAX_BYTES = 1 << 20;
  private static final Instant NOW = Instant.ofEpochSecond(1_700_000_000);

  private final ResponseCache cache = new ResponseCache(MAX_BYTES);

  @Test
  void countsTheBytesOfTheOwner() {
    for (int i = 0; i < 200; i++) {
      cache.store(get("/").build(), i + "x".repeat(50_000), response("X-Any"), NOW, NOW);
    }
    assertThat(kept(i -> i + "x".repeat(50_000), get("/").build())).isBetween(1, 10);
    assertThat(cache.bytes()).isLessThanOrEqualTo(MAX_BYTES);
  }

  @Test
  void countsTheBytesOfVaryingHeaders() {
    HttpRequest request = get("/").header("X-Any", "x".repeat(50_000)).build();
    for (int i = 0; i < 200; i++) {
      cache.store(request, "" + i, response("X-Any"), NOW, NOW);
    }
    assertThat(kept(i -> "" + i, request)).isBetween(1, 10);
  }

  @Test
  void countsTheBytesOfEachAddress() {
    String path = "/" + "x".repeat(50_000);
    for (int i = 0; i < 200; i++) {
      cache.store(get(path).build(), "" + i, response("X-Any"), NOW, NOW);
    }
    assertThat(kept(i -> "" + i, get(path).build())).isBetween(1, 10);
  }

  @Test
  void countsNothingOfEvictedEntries() {
    for (int i = 0; i < 20; i++) { // replaced, validated, crowded out by variants
      HttpRequest request = get("/").header("X-Any", "value " + i).build();
      cache.store(request, "a", response("X-Any"), NOW, NOW);
      cache.store(request, "a", response("X-Any"), NOW, NOW);
      ResponseCache.CachedResponse cachedResponse = cache.find(request, "a").orElseThrow();
      cache.validated(request, "a", cachedResponse, response("X-Any").headers(), NOW, NOW);
    }
    assertThat(cache.bytes()).isPositive();
    cache.forget(get("/").build().uri());
    assertThat(cache.bytes()).isZero();
  }

  private int kept(IntFunction<String> owner, HttpRequest request) {
    int kept = 0;
    for (int i = 0; i < 200; i++) {
      kept += cache.find(request, owner.apply(i)).isPresent() ? 1 : 0;
    }
    return kept;
  }

  private static HttpRequest.Builder get(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1" + path));
  }

  private static BufferedResponse response(String vary) {
    HttpHeaders headers =
        HttpHeaders.of(
            Map.of("Cache-Control", List.of("max-age=60"), "Vary", List.of(vary)),
            (name, value) -> true);
    return new BufferedResponse(
        200, headers, HttpClient.Version.HTTP_1_1, URI.create("http://127.0.0.1/"), new byte[10]);
  }
}
