package io.weir.client;

import static io.weir.client.ScriptedServer.response;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rig.Await;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One response for several callers, at the same time and later. */
@Timeout(120)
class ResponseSharingTest {
  private final WeirClient together = WeirClient.builder().paced(false).coalesce(true).build();
  private final WeirClient caching = WeirClient.builder().paced(false).cache(1 << 20).build();

  /** Each caller has its own body handler and gets its own type of body. */
  @Test
  void equalConcurrentRequestsShareOneRequest() throws Exception {
    CountDownLatch all = new CountDownLatch(1);
    try (ScriptedServer server = held(all, response(200, "X-Name: x", "fine"))) {
      CompletableFuture<HttpResponse<String>> first =
          together.sendAsync(get(server), BodyHandlers.ofString());
      CompletableFuture<HttpResponse<byte[]>> second =
          together.sendAsync(get(server), BodyHandlers.ofByteArray());
      CompletableFuture<HttpResponse<Stream<String>>> third =
          together.sendAsync(get(server), BodyHandlers.ofLines());
      all.countDown();
      assertThat(first.get().body()).isEqualTo("fine");
      assertThat(second.get().body()).isEqualTo("fine".getBytes(ISO_8859_1));
      assertThat(third.get().body()).containsExactly("fine");
      assertThat(third.get().headers().firstValue("X-Name")).contains("x");
      assertThat(server.requests).hasSize(1);
      together.send(get(server), BodyHandlers.ofString());
      assertThat(server.requests).as("it is over").hasSize(2);
    }
  }

  @Test
  void requestsWithOtherHeadersAreNotCoalesced() throws Exception {
    CountDownLatch all = new CountDownLatch(1);
    try (ScriptedServer server = held(all, response(200, "", "fine"))) {
      List<CompletableFuture<?>> futures = new ArrayList<>();
      for (String token : List.of("a", "b")) {
        HttpRequest request =
            HttpRequest.newBuilder(server.url("/")).header("Authorization", token).build();
        futures.add(together.sendAsync(request, BodyHandlers.ofString()));
      }
      Await.holds("both are there", () -> server.requests.size() == 2);
      all.countDown();
      CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).get();
    }
  }

  @Test
  void cancellingOneCallerDoesNotAffectOthers() throws Exception {
    CountDownLatch all = new CountDownLatch(1);
    try (ScriptedServer server = held(all, response(200, "", "fine"))) {
      CompletableFuture<HttpResponse<String>> first =
          together.sendAsync(get(server), BodyHandlers.ofString());
      CompletableFuture<HttpResponse<String>> second =
          together.sendAsync(get(server), BodyHandlers.ofString());
      first.cancel(true);
      all.countDown();
      assertThat(second.get().body()).isEqualTo("fine");
      assertThat(server.requests).hasSize(1);
    }
  }

  @Test
  void eachHasItsOwnDeadline() throws Exception {
    CountDownLatch all = new CountDownLatch(1);
    try (ScriptedServer server = held(all, response(200, "", "fine"))) {
      CompletableFuture<HttpResponse<String>> hasty =
          together.sendAsync(get(server), BodyHandlers.ofString(), Duration.ofMillis(300));
      CompletableFuture<HttpResponse<String>> patient =
          together.sendAsync(get(server), BodyHandlers.ofString(), Duration.ofSeconds(60));
      CompletableFuture<HttpResponse<String>> hastyToo =
          together.sendAsync(get(server), BodyHandlers.ofString(), Duration.ofMillis(300));
      assertThatThrownBy(hasty::get).hasCauseInstanceOf(HttpTimeoutException.class);
      assertThatThrownBy(hastyToo::get).hasCauseInstanceOf(HttpTimeoutException.class);
      all.countDown();
      assertThat(patient.get().body()).isEqualTo("fine");
    }
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void doesNotShareLargeResponses(boolean hasLength) throws Exception {
    String large = "x".repeat(100_000);
    String chunked =
        "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n"
            + ("3e8\r\n" + "x".repeat(1000) + "\r\n").repeat(100)
            + "0\r\n\r\n";
    WeirClient client =
        WeirClient.builder().paced(false).coalesce(true).cache(1 << 20).largestShared(5000).build();
    CountDownLatch all = new CountDownLatch(1);
    String response = hasLength ? response(200, "Cache-Control: max-age=60", large) : chunked;
    try (ScriptedServer server = held(all, response)) {
      CompletableFuture<HttpResponse<String>> first =
          client.sendAsync(get(server), BodyHandlers.ofString());
      CompletableFuture<HttpResponse<String>> second =
          client.sendAsync(get(server), BodyHandlers.ofString());
      all.countDown();
      assertThat(first.get().body()).isEqualTo(large);
      assertThat(second.get().body()).isEqualTo(large);
      assertThat(server.requests).hasSize(2);
    }
  }

  /** Headers of the first response; whether a second request is sent, and with which header. */
  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      textBlock =
          """
          Cache-Control: max-age=60 => kept
          Cache-Control: private, max-age=60 => kept
          Cache-Control: public, max-age="60" => kept
          Cache-Control: s-maxage=60 => sent
          Cache-Control: max-age=60, no-store => sent
          Cache-Control: max-age=0|ETag: "1" => If-None-Match: "1"
          Cache-Control: no-cache, max-age=60|ETag: "1" => If-None-Match: "1"
          ETag: W/"1" => If-None-Match: W/"1"
          Last-Modified: Wed, 21 Oct 2015 07:28:00 GMT => If-Modified-Since: Wed, 21 Oct 2015 07:28:00 GMT
          Cache-Control: max-age=60|Age: 61 => sent
          Cache-Control: max-age=60|Age: 10 => kept
          Cache-Control: max-age=soon => sent
          Cache-Control: max-age=99999999999999999999 => kept
          Expires: Fri, 31 Dec 9999 23:59:59 GMT => kept
          Expires: 0 => sent
          Expires: Fri, 31 Dec 9999 23:59:59 GMT|Cache-Control: max-age=0 => sent
          Cache-Control: max-age=60|Vary: * => sent
          Cache-Control: max-age=60|Vary: Accept => kept
          X-Nothing: said => sent
          """)
  void cachesCacheableResponses(String headers, String second) throws Exception {
    try (ScriptedServer server =
        ScriptedServer.saying(response(200, headers, "one"), response(200, "", "two"))) {
      caching.send(get(server), BodyHandlers.ofString());
      HttpResponse<String> response = caching.send(get(server), BodyHandlers.ofString());
      boolean isKept = second.equals("kept");
      assertThat(response.body()).isEqualTo(isKept ? "one" : "two");
      assertThat(server.requests).hasSize(isKept ? 1 : 2);
      assertThat(response.headers().firstValue("Age").isPresent()).isEqualTo(isKept);
      if (!isKept) {
        String expected = second.equals("sent") ? "GET / HTTP/1.1" : second;
        assertThat(server.requests.get(1)).contains(expected);
        assertThat(server.requests.get(1).contains("If-")).isEqualTo(second.startsWith("If-"));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"200, kept", "404, kept", "301, kept", "500, sent", "206, sent", "302, sent"})
  void cachesCertainStatusesOnly(int status, String second) throws Exception {
    try (ScriptedServer server =
        ScriptedServer.saying(response(status, "Cache-Control: max-age=60", "x"))) {
      caching.send(get(server), BodyHandlers.ofString());
      caching.send(get(server), BodyHandlers.ofString());
      assertThat(server.requests).hasSize(second.equals("kept") ? 1 : 2);
    }
  }

  @Test
  void neverCachesARefusal() throws Exception {
    WeirClient client = WeirClient.builder().attempts(1).paced(false).cache(1 << 20).build();
    try (ScriptedServer server =
        ScriptedServer.saying(
            response(429, "Cache-Control: max-age=60", "no"), response(200, "", "yes"))) {
      assertThatThrownBy(() -> client.send(get(server), BodyHandlers.ofString()))
          .isInstanceOf(RateLimitedException.class);
      assertThat(client.send(get(server), BodyHandlers.ofString()).body()).isEqualTo("yes");
    }
  }

  @Test
  void returnsFreshResponsesFromTheCache() throws Exception {
    try (ScriptedServer server =
        ScriptedServer.saying(
            response(200, "ETag: \"1\"|X-Old: yes|X-Both: 1", "body"),
            "HTTP/1.1 304 X\r\nCache-Control: max-age=60\r\nX-Both: 2\r\n\r\n")) {
      caching.send(get(server), BodyHandlers.ofString());
      for (int i = 0; i < 3; i++) {
        HttpResponse<String> response = caching.send(get(server), BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("body");
        assertThat(response.headers().firstValue("X-Old")).contains("yes");
        assertThat(response.headers().firstValue("X-Both")).contains("2");
      }
      assertThat(server.requests).as("validated once").hasSize(2);
    }
  }

  @Test
  void separatesResponsesByCredentialsAndVaryingHeaders() throws Exception {
    try (ScriptedServer server =
        ScriptedServer.saying(
            response(200, "Cache-Control: max-age=60|Vary: Accept-Language", "x"))) {
      for (int round = 0; round < 2; round++) {
        for (String language : List.of("de", "en")) {
          for (String token : List.of("a", "b")) {
            HttpRequest request =
                HttpRequest.newBuilder(server.url("/"))
                    .header("Accept-Language", language)
                    .header("Authorization", token)
                    .build();
            caching.send(request, BodyHandlers.ofString());
          }
        }
      }
      assertThat(server.requests).hasSize(4);
    }
  }

  /** Any header may identify the caller to the server, whatever its name. */
  @ParameterizedTest
  @CsvSource({"X-Tenant", "PRIVATE-TOKEN", "x-goog-api-key"})
  void doesNotShareResponsesBetweenCallers(String header) throws Exception {
    try (ScriptedServer server = echoing(header)) {
      for (String user : List.of("a", "b", "a")) {
        HttpRequest request =
            HttpRequest.newBuilder(server.url("/me")).header(header, user).build();
        assertThat(caching.send(request, BodyHandlers.ofString()).body()).isEqualTo(user);
      }
      assertThat(server.requests).as("the first response was kept").hasSize(2);
    }
  }

  /**
   * Callers distinguished by a scope, such as an address or a value that only the application
   * knows.
   */
  @Test
  void doesNotShareResponsesBetweenScopes() throws Exception {
    AtomicReference<String> tenant = new AtomicReference<>("a");
    WeirClient client =
        WeirClient.builder().paced(false).cache(1 << 20).scope(request -> tenant.get()).build();
    try (ScriptedServer server =
        ScriptedServer.saying(response(200, "Cache-Control: max-age=60", "x"))) {
      for (String user : List.of("a", "b", "a", "b")) {
        tenant.set(user);
        client.send(get(server), BodyHandlers.ofString());
      }
      assertThat(server.requests).hasSize(2);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "Accept, text/plain, text/html",
    "Accept-Language, de, en",
    "User-Agent, one, two",
    "Cache-Control, max-age=60, max-age=50",
    "traceparent, 00-1-1-01, 00-2-2-01",
    "X-Request-Id, 1, 2",
  })
  void ignoresHeadersThatDoNotIdentifyTheCaller(String header, String first, String second)
      throws Exception {
    try (ScriptedServer server =
        ScriptedServer.saying(response(200, "Cache-Control: max-age=60", "x"))) {
      for (String value : List.of(first, second)) {
        caching.send(
            HttpRequest.newBuilder(server.url("/")).header(header, value).build(),
            BodyHandlers.ofString());
      }
      assertThat(server.requests).hasSize(1);
    }
  }

  @Test
  void unsafeMethodInvalidatesTheCachedResponse() throws Exception {
    try (ScriptedServer server =
        ScriptedServer.saying(
            response(200, "Cache-Control: max-age=60", "old"),
            response(200, "", "changed"),
            response(200, "Cache-Control: max-age=60", "new"))) {
      caching.send(get(server), BodyHandlers.ofString());
      caching.send(
          HttpRequest.newBuilder(server.url("/")).PUT(BodyPublishers.ofString("new")).build(),
          BodyHandlers.ofString());
      assertThat(caching.send(get(server), BodyHandlers.ofString()).body()).isEqualTo("new");
    }
  }

  @Test
  void honoursCacheControlOfRequests() throws Exception {
    try (ScriptedServer server =
        ScriptedServer.saying(response(200, "Cache-Control: max-age=60", "x"))) {
      HttpRequest.Builder request = HttpRequest.newBuilder(server.url("/"));
      HttpRequest onlyKept = request.copy().header("Cache-Control", "only-if-cached").build();
      assertThat(caching.send(onlyKept, BodyHandlers.ofString()).statusCode()).isEqualTo(504);
      caching.send(request.build(), BodyHandlers.ofString());
      assertThat(caching.send(onlyKept, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
      caching.send(
          request.copy().header("Cache-Control", "no-cache").build(), BodyHandlers.ofString());
      assertThat(server.requests).hasSize(2);
    }
  }

  @Test
  void memoryIsBounded() throws Exception {
    WeirClient small = WeirClient.builder().paced(false).cache(20_000).build();
    try (ScriptedServer server =
        ScriptedServer.saying(response(200, "Cache-Control: max-age=60", "x".repeat(5000)))) {
      for (int i = 0; i < 10; i++) {
        small.send(HttpRequest.newBuilder(server.url("/" + i)).build(), BodyHandlers.ofString());
      }
      small.send(HttpRequest.newBuilder(server.url("/9")).build(), BodyHandlers.ofString());
      assertThat(server.requests).as("the last is there").hasSize(10);
      small.send(HttpRequest.newBuilder(server.url("/0")).build(), BodyHandlers.ofString());
      assertThat(server.requests).as("the first is not").hasSize(11);
    }
  }

  /** A response larger than the cache evicts nothing. */
  @Test
  void responseTooLargeForTheCacheEvictsNothing() throws Exception {
    WeirClient small = WeirClient.builder().paced(false).cache(20_000).build();
    try (ScriptedServer server =
        new ScriptedServer(
            (turn, request, out) -> {
              int size = request.startsWith("GET /large") ? 50_000 : 10;
              out.write(
                  response(200, "Cache-Control: max-age=60", "x".repeat(size))
                      .getBytes(ISO_8859_1));
            })) {
      for (String path : List.of("/small", "/large", "/small")) {
        small.send(HttpRequest.newBuilder(server.url(path)).build(), BodyHandlers.ofString());
      }
      assertThat(server.requests).hasSize(2);
    }
  }

  /** A server that returns the caller's identity from a header. */
  private static ScriptedServer echoing(String header) throws Exception {
    return new ScriptedServer(
        (turn, request, out) -> {
          String user = request.split("(?i)" + header + ": ")[1].split("\r\n")[0];
          out.write(response(200, "Cache-Control: private, max-age=60", user).getBytes(ISO_8859_1));
        });
  }

  private static ScriptedServer held(CountDownLatch until, String response) throws Exception {
    return new ScriptedServer(
        (turn, request, out) -> {
          until.await();
          out.write(response.getBytes(ISO_8859_1));
        });
  }

  private static HttpRequest get(ScriptedServer server) {
    return HttpRequest.newBuilder(server.url("/")).build();
  }
}
