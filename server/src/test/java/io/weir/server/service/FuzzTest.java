package io.weir.server.service;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.http.Answer;
import io.weir.rules.http.Answers;
import io.weir.rules.http.Query;
import io.weir.rules.http.Url;
import io.weir.rules.match.Address;
import io.weir.rules.match.MalformedRequestException;
import io.weir.rules.match.Network;
import io.weir.server.http.JsonInput;
import io.weir.server.http.Proxies;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Damaged input for every parser of the service: there is an answer, or a {@link
 * MalformedRequestException}, and never anything else. {@code -Dweir.fuzz.seed} repeats a round,
 * {@code -Dweir.fuzz.minutes}, which long runs set, does more.
 */
class FuzzTest {
  private static final int ROUNDS =
      40_000 * Math.max(1, Math.min(1000, Integer.getInteger("weir.fuzz.minutes", 1)));
  private static final long SEED = Long.getLong("weir.fuzz.seed", 20_261_115);

  private static final List<String> BODIES =
      List.of(
          "{\"attributes\":{\"user\":\"42\",\"method\":\"GET\",\"path\":\"/a/b?c\"},\"cost\":17}",
          "{\"attributes\":{\"ip\":\"2001:db8::1\",\"n\":7,\"x\":null},\"ttl_seconds\":60}",
          "{\"reservation\":\"AAAAAAAAAAAAAAAAAAAAAA\",\"cost\":0}",
          "[{\"attributes\":{\"\\u00fc\\ud83d\\ude00\":\"ü\uD83D\uDE00\"}},{\"attributes\":{}}]");

  private static final List<String> PIECES =
      List.of(
          "{",
          "}",
          "[",
          "]",
          ",",
          ":",
          "\"",
          "\\",
          "\\u",
          "\\ud800",
          "\\u0000",
          "null",
          "true",
          "-",
          "1e400",
          "0",
          "9223372036854775808",
          "\"attributes\":",
          "\"cost\":",
          "\u0000",
          "\uFEFF",
          "[[[[[[[[[[[[[[[[[[",
          "&",
          "=",
          "%",
          "%2",
          "%ff",
          "%00",
          "+",
          ";",
          "#",
          "?",
          "/",
          "..",
          "//",
          ", ",
          "127.0.0.1",
          "::ffff:",
          "%eth0",
          ":80",
          "unknown",
          "\t",
          "\r\n");

  private interface Round {
    void run(Random random) throws Exception;
  }

  private static void rounds(int count, Round round) {
    for (long seed = SEED; seed < SEED + count; seed++) {
      try {
        round.run(new Random(seed));
      } catch (Exception | Error e) {
        throw new AssertionError("repeat it with -Dweir.fuzz.seed=" + seed, e);
      }
    }
  }

  private static byte[] damaged(String good, Random random) {
    byte[] bytes = good.getBytes(UTF_8);
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      int from = random.nextInt(bytes.length + 1);
      int to = Math.min(bytes.length, from + random.nextInt(6));
      byte[] piece =
          switch (random.nextInt(4)) {
            case 0 -> new byte[0];
            case 1 -> new byte[] {(byte) random.nextInt(256)};
            case 2 -> PIECES.get(random.nextInt(PIECES.size())).getBytes(UTF_8);
            default -> Arrays.copyOfRange(bytes, random.nextInt(from + 1), from);
          };
      ByteArrayOutputStream spliced = new ByteArrayOutputStream();
      spliced.write(bytes, 0, from);
      spliced.writeBytes(piece);
      spliced.write(bytes, to, bytes.length - to);
      bytes = spliced.toByteArray();
    }
    return bytes;
  }

  private static <T> T pick(List<T> from, Random random) {
    return from.get(random.nextInt(from.size()));
  }

  @Test
  void bodies() {
    Set<String> all = Set.of("attributes", "cost", "ttl_seconds", "reservation");
    int[] good = {0};
    rounds(
        ROUNDS,
        random -> {
          byte[] body = damaged(pick(BODIES, random), random);
          try {
            JsonInput in = JsonInput.of(body);
            if (in.isList()) {
              Form.questions(in);
            } else {
              Form.read(body, all);
            }
            good[0]++;
          } catch (MalformedRequestException e) {
            assertThat(e.getMessage()).isNotBlank();
          }
        });
    assertThat(good[0]).as("some survive the damage").isPositive();
  }

  @Test
  void queries() {
    List<String> good = List.of("user=42&cost=2&path=/a%2Fb&x=%C3%BC+y", "status=403&cost=1", "a");
    rounds(
        ROUNDS,
        random -> {
          String query = new String(damaged(pick(good, random), random), ISO_8859_1);
          try {
            Form.question(query);
            assertThat(Query.parameters(query, 5)).hasSizeLessThanOrEqualTo(5);
          } catch (MalformedRequestException e) {
            assertThat(e.getMessage()).isNotBlank();
          }
        });
  }

  /** {@code X-Original-URL}. */
  @Test
  void urls() {
    List<String> good =
        List.of("https://shop.example:443/a/b?c=d", "http://[2001:db8::1]:80/", "http://a");
    int[] survived = {0};
    rounds(
        ROUNDS,
        random -> {
          String text = new String(damaged(pick(good, random), random), ISO_8859_1);
          try {
            assertThat(Url.parse(text).target()).startsWith("/");
            survived[0]++;
          } catch (IllegalArgumentException e) {
            assertThat(e.getMessage()).isNotBlank();
          }
        });
    assertThat(survived[0]).as("some survive the damage").isPositive();
  }

  /** {@code Accept}: one of two kinds of body, whatever it says. */
  @Test
  void accepted() {
    List<String> good =
        List.of(
            "application/problem+json;q=0.5, application/json;q=0.4",
            "application/problem+json",
            "text/html, application/problem+json;q=1e400");
    Set<String> kinds = new TreeSet<>();
    rounds(
        ROUNDS,
        random -> {
          String accept = new String(damaged(pick(good, random), random), ISO_8859_1);
          Answer answer = Answers.badRequest("no", accept);
          assertThat(answer.status()).isEqualTo(400);
          kinds.add(answer.headers().get(0).value());
        });
    assertThat(kinds).containsExactly("application/json", "application/problem+json");
  }

  /** Whatever a client puts before it, what the proxy appended is the client. */
  @Test
  void addresses() {
    Proxies proxies = new Proxies(List.of(Network.parse("10.0.0.0/8"), Network.parse("::1")));
    Address peer = Address.parse("10.0.0.1");
    List<String> good = List.of("6.6.6.6, 2001:db8::1", "[2001:db8::1]:80, 1.2.3.4:5", "10.0.0.2");
    rounds(
        ROUNDS,
        random -> {
          String forged = new String(damaged(pick(good, random), random), ISO_8859_1);
          proxies.client(peer, List.of(forged));
          String appended = forged + (random.nextBoolean() ? ", " : ",") + "203.0.113.7, 10.0.0.9";
          assertThat(proxies.client(peer, List.of(appended))).hasToString("203.0.113.7");
          assertThat(proxies.client(peer, List.of(forged, "203.0.113.7, 10.0.0.9")))
              .hasToString("203.0.113.7");
        });
  }

  /** Over the wire: whole requests, damaged anywhere but in their framing or in all of it. */
  @Test
  void requests() {
    String rules =
        """
        attributes: { key: { header: X-API-Key }, sid: { cookie: sid }, q: { query: q } }
        rules:
          - { name: user, per: user, limit: 5 per hour }
          - { name: path, match: { path: "/a/{id}" }, per: [id, ip], limit: 5 per hour }
          - { name: key, per: [key, host], limit: 5 per hour }
          - { name: sid, per: [sid, q, method], limit: 5 per hour }
        """;
    try (Service service = Service.start(rules)) {
      rounds(
          ROUNDS / 80,
          random -> {
            String request = random.nextInt(3) > 0 ? post(random) : auth(random);
            byte[] bytes =
                random.nextInt(4) == 0 ? damaged(request, random) : request.getBytes(ISO_8859_1);
            String reply = exchange(service, bytes);
            assertThat(reply).doesNotContain("HTTP/1.1 5", "internal_error");
          });
      assertThat(service.get("/v1/check?user=alive").status()).isEqualTo(200);
    }
  }

  private static String post(Random random) {
    String body = new String(damaged(pick(BODIES, random), random), ISO_8859_1);
    String path = pick(List.of("check", "check", "reserve", "commit", "refund"), random);
    return "POST /v1/"
        + path
        + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  private static String auth(Random random) {
    String[] values = new String[6];
    List<String> good =
        List.of("/a/1?q=2", "GET", "shop.example:80", "6.6.6.6, 1.2.3.4", "sid=1; b=\"2\"", "k");
    for (int i = 0; i < values.length; i++) {
      String value = good.get(i);
      values[i] =
          random.nextInt(3) == 0
              ? new String(damaged(value, random), ISO_8859_1).replaceAll("[\r\n]", "")
              : value;
    }
    return "GET /v1/auth HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Original-URI: "
        + values[0]
        + "\r\nX-Original-Method: "
        + values[1]
        + "\r\nX-Forwarded-Host: "
        + values[2]
        + "\r\nX-Forwarded-For: "
        + values[3]
        + "\r\nCookie: "
        + values[4]
        + "\r\nX-API-Key: "
        + values[5]
        + "\r\n\r\n";
  }

  private static String exchange(Service service, byte[] bytes) throws IOException {
    try (Socket socket = service.connect()) {
      socket.getOutputStream().write(bytes);
      socket.shutdownOutput();
      socket.setSoTimeout(60_000);
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    } catch (SocketTimeoutException e) {
      throw new AssertionError("no answer to " + new String(bytes, ISO_8859_1), e);
    } catch (SocketException e) {
      return ""; // hung up on
    }
  }
}
