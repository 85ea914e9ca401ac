package io.weir.client;

import static io.weir.client.ScriptedServer.response;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ConnectException;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The wrapped client follows redirects by itself: only the last response is seen. */
@Timeout(60)
class RedirectsTest {
  private static final String REFUSED = response(429, "Retry-After: 0", "");

  private final WeirClient client = following().build();
  private final WeirClient caching = following().cache(1 << 20).build();

  private static WeirClient.Builder following() {
    return WeirClient.builder()
        .http(HttpClient.newBuilder().followRedirects(Redirect.NORMAL).build())
        .backoff(Duration.ofMillis(1), Duration.ofMillis(5));
  }

  /** The order was taken; what was refused is to look at it. */
  @ParameterizedTest
  @CsvSource({"301", "302", "303", "307", "308"})
  void doesNotResendRequestProcessedBeforeTheRedirect(int status) throws Exception {
    try (ScriptedServer server =
        byPath(
            Map.of("/orders", response(status, "Location: /orders/1", ""), "/orders/1", REFUSED))) {
      assertThatThrownBy(() -> client.send(post(server.url("/orders")), BodyHandlers.ofString()))
          .isInstanceOf(RateLimitedException.class)
          .hasMessageContaining("it cannot be sent twice");
      assertThat(server.requests.stream().filter(each -> each.startsWith("POST /orders ")))
          .hasSize(1);
    }
  }

  @Test
  void doesNotRepeatARedirectedPostIfTheTargetIsDown() throws Exception {
    ScriptedServer gone = ScriptedServer.saying(REFUSED);
    URI nowhere = gone.url("/");
    gone.close();
    try (ScriptedServer server = ScriptedServer.saying(response(303, "Location: " + nowhere, ""))) {
      assertThatThrownBy(() -> client.send(post(server.url("/orders")), BodyHandlers.ofString()))
          .isInstanceOf(ConnectException.class);
      assertThat(server.requests).hasSize(1);
    }
  }

  @Test
  void retriesRefusalWithoutARedirect() throws Exception {
    try (ScriptedServer server = ScriptedServer.saying(REFUSED, response(200, "", "taken"))) {
      assertThat(client.send(post(server.url("/orders")), BodyHandlers.ofString()).body())
          .isEqualTo("taken");
      assertThat(server.requests).hasSize(2);
    }
  }

  @Test
  void retriesIdempotentRequestFromTheFirstAddress() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            (turn, request, out) ->
                out.write(
                    (request.startsWith("GET /a ")
                            ? response(302, "Location: /b", "")
                            : turn == 2 ? REFUSED : response(200, "", "there"))
                        .getBytes()))) {
      assertThat(get(client, server, "/a").body()).isEqualTo("there");
      assertThat(server.requests).hasSize(4);
    }
  }

  /** Where the redirect leads may change at any time. */
  @Test
  void doesNotCacheResponsesOfARedirectTarget() throws Exception {
    try (ScriptedServer server =
        byPath(
            Map.of(
                "/a", response(302, "Location: /b", ""),
                "/b", response(200, "Cache-Control: max-age=60", "b")))) {
      for (int i = 0; i < 2; i++) {
        HttpResponse<String> response = get(caching, server, "/a");
        assertThat(response.body()).isEqualTo("b");
        assertThat(response.uri()).isEqualTo(server.url("/b"));
      }
      assertThat(server.requests).hasSize(4);
    }
  }

  @Test
  void doesNotValidateWithTheResponseOfAnotherAddress() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            (turn, request, out) ->
                out.write(
                    (turn == 1
                            ? response(200, "ETag: \"1\"", "old")
                            : request.startsWith("GET /a ")
                                ? response(302, "Location: /b", "")
                                : request.contains("If-None-Match")
                                    ? "HTTP/1.1 304 Same\r\nETag: \"1\"\r\n\r\n"
                                    : response(200, "ETag: \"1\"", "new"))
                        .getBytes()))) {
      assertThat(get(caching, server, "/a").body()).isEqualTo("old");
      HttpResponse<String> moved = get(caching, server, "/a");
      assertThat(moved.statusCode()).isEqualTo(200);
      assertThat(moved.body()).isEqualTo("new");
    }
  }

  /** A request sent without a login is redirected back from the login page with one. */
  @Test
  void doesNotCacheResponsesAfterALoginForAnonymousRequests() throws Exception {
    CookieManager jar = new CookieManager();
    WeirClient client = cachingWith(jar);
    try (ScriptedServer server =
        new ScriptedServer(
            (turn, request, out) ->
                out.write(
                    (request.startsWith("GET /login ")
                            ? response(302, "Location: /me|Set-Cookie: who=alice; Path=/", "")
                            : turn == 1
                                ? response(302, "Location: /login", "")
                                : response(
                                    200, "Cache-Control: private, max-age=60", user(request)))
                        .getBytes()))) {
      assertThat(get(client, server, "/me").body()).isEqualTo("alice");
      jar.getCookieStore().removeAll();
      assertThat(get(client, server, "/me").body()).isEqualTo("nobody");
    }
  }

  /** The response itself may set the cookie of a login. */
  @Test
  void doesNotCacheTheResponseThatLogsIn() throws Exception {
    CookieManager jar = new CookieManager();
    WeirClient client = cachingWith(jar);
    String welcome = "Cache-Control: private, max-age=60|Set-Cookie: who=alice; Path=/";
    try (ScriptedServer server =
        ScriptedServer.saying(response(200, welcome, "alice"), response(200, "", "nobody"))) {
      assertThat(get(client, server, "/me").body()).isEqualTo("alice");
      jar.getCookieStore().removeAll();
      assertThat(get(client, server, "/me").body()).isEqualTo("nobody");
    }
  }

  @Test
  void doesNotCacheResponseOfARedirectLoopToTheOrigin() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            (turn, request, out) ->
                out.write(
                    (turn == 1
                            ? response(302, "Location: /b", "")
                            : turn == 2
                                ? response(302, "Location: /a", "")
                                : response(200, "Cache-Control: max-age=60", "there"))
                        .getBytes()))) {
      get(caching, server, "/a");
      get(caching, server, "/a");
      assertThat(server.requests).hasSize(4);
    }
  }

  private static WeirClient cachingWith(CookieManager jar) {
    return WeirClient.builder()
        .http(HttpClient.newBuilder().followRedirects(Redirect.NORMAL).cookieHandler(jar).build())
        .cache(1 << 20)
        .build();
  }

  private static String user(String request) {
    return request.contains("who=") ? "alice" : "nobody";
  }

  private static ScriptedServer byPath(Map<String, String> responses) throws Exception {
    return new ScriptedServer(
        (turn, request, out) -> out.write(responses.get(request.split(" ")[1]).getBytes()));
  }

  private static HttpResponse<String> get(WeirClient client, ScriptedServer server, String path)
      throws Exception {
    return client.send(HttpRequest.newBuilder(server.url(path)).build(), BodyHandlers.ofString());
  }

  private static HttpRequest post(URI uri) {
    return HttpRequest.newBuilder(uri).POST(BodyPublishers.ofString("order")).build();
  }
}
