package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rig.Await;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Early and dispatched responses are indistinguishable to clients. */
class EarlyRejectionTest {
  private static final String RULES =
      """
      attributes:
        who: { header: X-Who }
      rules:
        - { name: each, match: { who: "*" }, per: who, limit: 3 per minute }
      """;

  private static final Pattern LENGTH = Pattern.compile("content-length: (\\d+)");

  private final ManualTime time = TimeSource.manual().set(Instant.parse("2026-09-21T14:14:20Z"));
  private GatewayFixture gatewayFixture = open();

  private GatewayFixture open() {
    return new GatewayFixture.Builder(RULES)
        .server("http", request -> request.response().end("hello"))
        .settings(to -> to.forwarding().corsOrigins(List.of("https://page.example")))
        .time(time)
        .build();
  }

  @AfterEach
  void close() {
    gatewayFixture.close();
  }

  /** The first request of a connection is always dispatched. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          GET /a?b=c   |                                        | 1
          DELETE /a    |                                        | 1
          GET /a/../b  | Accept: application/problem+json       | 1
          GET /a       | Origin: https://page.example           | 0
          GET /a       | Connection: Keep-Alive                 | 1
          GET /a       | Connection: X-Other                    | 0
          GET /a       | Upgrade: websocket                     | 0
          HEAD /a      |                                        | 0
          POST /a      | Content-Length: 0                      | 0
          """)
  void earlyAndDispatchedResponsesAreEqual(String what, String line, int early) throws IOException {
    spend("me");
    try (Socket client = gatewayFixture.connect()) {
      String request = request(what, "me", line == null ? List.of() : List.of(line));
      boolean hasBody = !what.startsWith("HEAD");
      String inside = send(client, request, hasBody);
      assertThat(inside).startsWith("HTTP/1.1 429 ").contains("\r\nRetry-After: 20\r\n");
      assertThat(send(client, request, hasBody)).isEqualTo(inside);
      time.advance(Duration.ofSeconds(1));
      assertThat(send(client, request, hasBody)).contains("\r\nRetry-After: 19\r\n");
    }
    assertThat(gatewayFixture.answeredEarly()).isEqualTo(2 * early);
  }

  @ParameterizedTest
  @CsvSource({
    "GET /a%00b, 400",
    "GET a, 400",
    "get /a, 400",
    "OPTIONS *, 204",
    "TRACE /a, 400",
  })
  void dispatchesRequestsThatCannotBeDecidedEarly(String what, int status) throws IOException {
    try (Socket client = gatewayFixture.connect()) {
      send(client, request("GET /", "me", List.of()), true);
      assertThat(send(client, request(what, "me", List.of()), status != 204))
          .startsWith("HTTP/1.1 " + status + " ");
    }
    assertThat(gatewayFixture.answeredEarly()).isZero();
  }

  /** Netty would wait for eight bytes that no header announces. */
  @Test
  void refusesHixie76WebSocket() throws IOException {
    spend("me");
    try (Socket client = gatewayFixture.connect()) {
      send(client, request("GET /", "me", List.of()), true);
      List<String> keys = List.of("Sec-WebSocket-Key1: 1", "Sec-WebSocket-Key2: 2");
      client.getOutputStream().write(request("GET /", "me", keys).getBytes(ISO_8859_1));
      assertThat(new String(client.getInputStream().readAllBytes(), ISO_8859_1))
          .startsWith("HTTP/1.1 400 ");
    }
    assertThat(gatewayFixture.answeredEarly()).isZero();
  }

  @Test
  void chargesEachRequestOnce() throws IOException {
    try (Socket client = gatewayFixture.connect()) {
      List<String> responses = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        responses.add(status(send(client, request("GET /", "me", List.of()), true)));
      }
      assertThat(responses).containsExactly("200", "200", "200", "429", "429", "429");
    }
    assertThat(gatewayFixture.answeredEarly()).isEqualTo(3);
  }

  @Test
  void respondsInTheOrderOfRequests() throws IOException {
    spend("me");
    List<String> callers = List.of("me", "other", "me", "me", "other", "third", "me");
    try (Socket client = gatewayFixture.connect()) {
      StringBuilder all = new StringBuilder();
      callers.forEach(caller -> all.append(request("GET /", caller, List.of())));
      client.getOutputStream().write(all.toString().getBytes(ISO_8859_1));
      for (String caller : callers) {
        assertThat(status(read(client.getInputStream(), true)))
            .isEqualTo(caller.equals("me") ? "429" : "200");
      }
    }
  }

  @Test
  void stopsReadingFromClientThatDoesNotRead() throws Exception {
    spend("me");
    int many = 10_000;
    try (Socket client = gatewayFixture.connect()) {
      byte[] request = request("GET /", "me", List.of()).getBytes(ISO_8859_1);
      OutputStream out = client.getOutputStream();
      CompletableFuture<Void> sent =
          CompletableFuture.runAsync(
              () -> {
                try {
                  for (int i = 0; i < many; i++) {
                    out.write(request);
                  }
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
      InputStream in = new BufferedInputStream(client.getInputStream());
      for (int i = 0; i < many; i++) {
        assertThat(status(read(in, true))).isEqualTo("429");
      }
      sent.join();
    }
  }

  @Test
  void drainAnnouncesClose() {
    Await.holds("it comes in the moment that is left", this::hasConnectionClose);
  }

  /** False if the request was sent on a connection that was already closed. */
  private boolean hasConnectionClose() throws IOException {
    gatewayFixture.close();
    gatewayFixture = open();
    spend("me");
    try (Socket client = gatewayFixture.connect()) {
      String request = request("GET /", "me", List.of());
      send(client, request, true);
      assertThat(send(client, request, true)).doesNotContainIgnoringCase("connection: close");
      Future<Void> drained = gatewayFixture.drain(Duration.ofSeconds(30));
      client.getOutputStream().write(request.getBytes(ISO_8859_1));
      String response = new String(client.getInputStream().readAllBytes(), ISO_8859_1);
      GatewayFixture.await(drained);
      if (response.isEmpty()) {
        return false;
      }
      assertThat(response)
          .startsWith("HTTP/1.1 429 ")
          .containsIgnoringCase("\r\nconnection: close\r\n");
    }
    assertThat(gatewayFixture.answeredEarly()).isEqualTo(1);
    return true;
  }

  private void spend(String caller) throws IOException {
    for (int i = 0; i < 3; i++) {
      assertThat(gatewayFixture.get("X-Who: " + caller)).startsWith("HTTP/1.1 200 ");
    }
  }

  private static String request(String what, String caller, List<String> lines) {
    StringBuilder text = new StringBuilder(what + " HTTP/1.1\r\nHost: shop.example\r\n");
    text.append("X-Who: ").append(caller).append("\r\n");
    lines.forEach(line -> text.append(line).append("\r\n"));
    return text.append("\r\n").toString();
  }

  private static String send(Socket client, String request, boolean hasBody) throws IOException {
    client.getOutputStream().write(request.getBytes(ISO_8859_1));
    return read(client.getInputStream(), hasBody);
  }

  private static String read(InputStream in, boolean hasBody) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.length() < 4 || head.indexOf("\r\n\r\n", head.length() - 4) < 0) {
      int next = in.read();
      if (next < 0) {
        throw new EOFException("after '" + head + "'");
      }
      head.append((char) next);
    }
    String text = head.toString();
    Matcher length = LENGTH.matcher(text.toLowerCase(Locale.ROOT));
    int bytes = hasBody && length.find() ? Integer.parseInt(length.group(1)) : 0;
    return text + new String(in.readNBytes(bytes), ISO_8859_1);
  }

  private static String status(String response) {
    return response.substring(9, 12);
  }
}
