package io.weir.server.service;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import io.weir.rig.Fuzzing;
import io.weir.rules.http.DecisionResponses;
import io.weir.rules.http.DirectResponse;
import io.weir.rules.http.Query;
import io.weir.rules.http.TrustedProxies;
import io.weir.rules.http.Url;
import io.weir.rules.match.Address;
import io.weir.rules.match.MalformedRequestException;
import io.weir.rules.match.Network;
import io.weir.server.http.JsonInput;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Damaged input for every parser of the service: a result or a {@link MalformedRequestException},
 * never another exception. See {@link Fuzzing} for how to repeat a round.
 */
class ServiceFuzzTest {
  private static final int ROUNDS = 40_000;

  private static final List<String> BODIES =
      List.of(
          "{\"attributes\":{\"user\":\"42\",\"method\":\"GET\",\"path\":\"/a/b?c\"},\"cost\":17}",
          "{\"attributes\":{\"ip\":\"2001:db8::1\",\"n\":7,\"x\":null},\"ttl_seconds\":60}",
          "{\"reservation\":\"AAAAAAAAAAAAAAAAAAAAAA\",\"cost\":0}",
          "[{\"attributes\":{\"\\u00fc\\ud83d\\ude00\":\"ü\uD83D\uDE00\"}},{\"attributes\":{}}]");

  private static final List<byte[]> PIECES =
      Stream.of(
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
              "\r\n")
          .map(piece -> piece.getBytes(UTF_8))
          .toList();

  private static final String RULES =
      """
      attributes: { key: { header: X-API-Key }, sid: { cookie: sid }, q: { query: q } }
      rules:
        - { name: user, per: user, limit: 5 per hour }
        - { name: path, match: { path: "/a/{id}" }, per: [id, ip], limit: 5 per hour }
        - { name: key, per: [key, host], limit: 5 per hour }
        - { name: sid, per: [sid, q, method], limit: 5 per hour }
      """;

  private final AtomicInteger survivors = new AtomicInteger();

  @AfterEach
  void someSurviveTheDamage() {
    assertThat(survivors).hasPositiveValue();
  }

  @Test
  void bodies() {
    Fuzzing.rounds(ROUNDS, this::body);
  }

  @Test
  void queries() {
    Fuzzing.rounds(ROUNDS, this::query);
  }

  @Test
  void urls() {
    Fuzzing.rounds(ROUNDS, this::url);
  }

  @Test
  void accepted() {
    Fuzzing.rounds(ROUNDS, this::accept);
  }

  @Test
  void addresses() {
    Fuzzing.rounds(ROUNDS, this::address);
  }

  @Test
  void requests() {
    try (Service service = Service.start(RULES)) {
      Fuzzing.rounds(ROUNDS / 80, random -> request(service, random));
      assertThat(service.get("/v1/check?user=alive").status()).isEqualTo(200);
    }
  }

  @Test
  @Tag("soak")
  void minutesOfDamage() {
    try (Service service = Service.start(RULES)) {
      List<Fuzzing.Round> all =
          List.of(
              this::body,
              this::query,
              this::url,
              this::accept,
              this::address,
              random -> request(service, random));
      Fuzzing.minutes(random -> Fuzzing.pick(all, random).run(random));
      assertThat(service.get("/v1/check?user=alive").status()).isEqualTo(200);
    }
  }

  private static byte[] damaged(String good, Random random) {
    return Fuzzing.damaged(good.getBytes(UTF_8), PIECES, random);
  }

  private static String damagedText(List<String> good, Random random) {
    return new String(damaged(Fuzzing.pick(good, random), random), ISO_8859_1);
  }

  private void body(Random random) {
    byte[] body = damaged(Fuzzing.pick(BODIES, random), random);
    try {
      JsonInput in = JsonInput.of(body);
      if (in.isList()) {
        ServiceRequestBody.questions(in);
      } else {
        ServiceRequestBody.read(
            Buffer.buffer(body), Set.of("attributes", "cost", "ttl_seconds", "reservation"));
      }
      survivors.incrementAndGet();
    } catch (MalformedRequestException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
  }

  private void query(Random random) {
    String query =
        damagedText(
            List.of("user=42&cost=2&path=/a%2Fb&x=%C3%BC+y", "status=403&cost=1", "a"), random);
    try {
      ServiceRequestBody.parse(query);
      assertThat(Query.parameters(query, 5)).hasSizeLessThanOrEqualTo(5);
      survivors.incrementAndGet();
    } catch (MalformedRequestException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
  }

  /** {@code X-Original-URL}. */
  private void url(Random random) {
    String text =
        damagedText(
            List.of("https://shop.example:443/a/b?c=d", "http://[2001:db8::1]:80/", "http://a"),
            random);
    try {
      assertThat(Url.parse(text).target()).startsWith("/");
      survivors.incrementAndGet();
    } catch (IllegalArgumentException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
  }

  /** {@code Accept}: always one of two kinds of body. */
  private void accept(Random random) {
    String accept =
        damagedText(
            List.of(
                "application/problem+json;q=0.5, application/json;q=0.4",
                "application/problem+json",
                "text/html, application/problem+json;q=1e400"),
            random);
    DirectResponse directResponse = DecisionResponses.badRequest("no", accept);
    assertThat(directResponse.status()).isEqualTo(400);
    String kind = directResponse.headers().get(0).value();
    assertThat(kind).isIn("application/json", "application/problem+json");
    if (kind.contains("problem")) {
      survivors.incrementAndGet();
    }
  }

  /** Whatever a client puts before it, what the proxy appended is the client. */
  private void address(Random random) {
    TrustedProxies trustedProxies =
        new TrustedProxies(List.of(Network.parse("10.0.0.0/8"), Network.parse("::1")));
    Address peer = Address.parse("10.0.0.1");
    String forged =
        damagedText(
            List.of("6.6.6.6, 2001:db8::1", "[2001:db8::1]:80, 1.2.3.4:5", "10.0.0.2"), random);
    if (!peer.equals(trustedProxies.client(peer, List.of(forged)))) {
      survivors.incrementAndGet();
    }
    String appended = forged + (random.nextBoolean() ? ", " : ",") + "203.0.113.7, 10.0.0.9";
    assertThat(trustedProxies.client(peer, List.of(appended))).hasToString("203.0.113.7");
    assertThat(trustedProxies.client(peer, List.of(forged, "203.0.113.7, 10.0.0.9")))
        .hasToString("203.0.113.7");
  }

  /** Over the wire: whole requests, damaged anywhere but in their framing or in all of it. */
  private void request(Service service, Random random) throws IOException {
    String request = random.nextInt(3) > 0 ? post(random) : auth(random);
    byte[] bytes = random.nextInt(4) == 0 ? damaged(request, random) : request.getBytes(ISO_8859_1);
    String reply = exchange(service, bytes);
    assertThat(reply).doesNotContain("HTTP/1.1 5", "internal_error");
    if (reply.startsWith("HTTP/1.1 200")) {
      survivors.incrementAndGet();
    }
  }

  private static String post(Random random) {
    String body = damagedText(BODIES, random);
    String path = Fuzzing.pick(List.of("check", "check", "reserve", "commit", "refund"), random);
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
