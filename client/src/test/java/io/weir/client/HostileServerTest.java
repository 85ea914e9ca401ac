package io.weir.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** False limit headers make the client neither hang nor flood the server. */
@Tag("slow")
@Timeout(120)
class HostileServerTest {
  private static final Duration DEADLINE = Duration.ofMillis(700);
  private static final String ONE = "Content-Length: 1\r\n\r\nx";

  private static final Map<String, ScriptedServer.Script> LIES =
      Map.ofEntries(
          says("a wait of years", "HTTP/1.1 429 X\r\nRetry-After: 999999999\r\n" + ONE),
          says(
              "a wait until 9999",
              "HTTP/1.1 429 X\r\nRetry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\n" + ONE),
          says("a negative wait", "HTTP/1.1 429 X\r\nRetry-After: -7\r\n" + ONE),
          says(
              "a wait beyond numbers",
              "HTTP/1.1 429 X\r\nRetry-After: 1" + "0".repeat(30) + "\r\n" + ONE),
          says("no wait at all", "HTTP/1.1 429 X\r\nRetry-After: 0\r\n" + ONE),
          says("refused without a word", "HTTP/1.1 429 X\r\n" + ONE),
          says(
              "nothing left for ever",
              "HTTP/1.1 200 X\r\nX-RateLimit-Remaining: 0\r\nX-RateLimit-Limit: 5\r\nX-RateLimit-Reset: 99999999999999\r\n"
                  + ONE),
          says(
              "nothing left, more in the past",
              "HTTP/1.1 200 X\r\nX-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 1000000000\r\n"
                  + ONE),
          says(
              "less than nothing left",
              "HTTP/1.1 200 X\r\nX-RateLimit-Remaining: -1\r\nX-RateLimit-Limit: -1\r\nX-RateLimit-Reset: -1\r\n"
                  + ONE),
          says(
              "a limit of nothing",
              "HTTP/1.1 200 X\r\nRateLimit: \"a\";r=0;t=0\r\nRateLimit-Policy: \"a\";q=0;w=0\r\n"
                  + ONE),
          says(
              "more than there is",
              "HTTP/1.1 200 X\r\nRateLimit: \"a\";r=999999999999999;t=1\r\nRateLimit-Policy: \"a\";q=1;w=999999999999999\r\n"
                  + ONE),
          says(
              "refused with all left",
              "HTTP/1.1 429 X\r\nRateLimit: \"a\";r=100;t=1\r\nRateLimit-Policy: \"a\";q=100;w=1\r\n"
                  + ONE),
          says(
              "huge headers",
              "HTTP/1.1 429 X\r\nRetry-After: 0\r\nRateLimit: "
                  + "\"a\";r=0;t=0, ".repeat(20_000)
                  + "\r\n"
                  + ONE),
          says("busy for years", "HTTP/1.1 503 X\r\nRetry-After: 999999999\r\n" + ONE),
          says("no HTTP", "SSH-2.0-OpenSSH_9.2\r\n"),
          says("a body that stays away", "HTTP/1.1 200 X\r\nContent-Length: 1000\r\n\r\nx"),
          Map.entry("silence", (turn, request, out) -> Thread.sleep(60_000)),
          Map.entry(
              "closes",
              (turn, request, out) -> {
                throw new IOException("closes");
              }),
          Map.entry("a body without end", (turn, request, out) -> endless(out, "200 X")),
          Map.entry(
              "a refusal without end",
              (turn, request, out) -> endless(out, "429 X\r\nRetry-After: 0")),
          Map.entry(
              "a head without end",
              (turn, request, out) -> {
                out.write("HTTP/1.1 200 X\r\n".getBytes(ISO_8859_1));
                for (int i = 0; ; i++) {
                  out.write(("X-" + i + ": " + "x".repeat(1000) + "\r\n").getBytes(ISO_8859_1));
                }
              }));

  private static Map.Entry<String, ScriptedServer.Script> says(String name, String response) {
    return Map.entry(name, (turn, request, out) -> out.write(response.getBytes(ISO_8859_1)));
  }

  private static void endless(java.io.OutputStream out, String start) throws Exception {
    out.write(
        ("HTTP/1.1 " + start + "\r\nTransfer-Encoding: chunked\r\n\r\n").getBytes(ISO_8859_1));
    while (true) {
      out.write("1\r\nx\r\n".getBytes(ISO_8859_1));
      out.flush();
      Thread.sleep(5);
    }
  }

  static Stream<String> lies() {
    return LIES.keySet().stream().sorted();
  }

  @ParameterizedTest
  @MethodSource("lies")
  void recoversFromFalseLimitHeaders(String lie) throws Exception {
    WeirClient client =
        WeirClient.builder().deadline(DEADLINE).longestWait(Duration.ofMillis(400)).build();
    try (ScriptedServer server = new ScriptedServer(LIES.get(lie))) {
      long start = System.nanoTime();
      int ended = 0;
      while (System.nanoTime() - start < DEADLINE.toNanos()) {
        long began = System.nanoTime();
        try {
          client.send(HttpRequest.newBuilder(server.url("/")).build(), BodyHandlers.ofString());
        } catch (IOException expected) {
          // all that counts is that it ends, and how many requests the server received
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began))
            .isLessThan(DEADLINE.plusSeconds(15));
        ended++;
        Thread.sleep(1);
      }
      // The JDK's client goes twice more by itself when a connection closes.
      double times = lie.equals("closes") ? 3 : 1.1;
      assertThat((double) server.requests.size()).isLessThanOrEqualTo(ended * times + 40);
    }
  }
}
