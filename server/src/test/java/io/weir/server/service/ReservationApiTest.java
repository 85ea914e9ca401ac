package io.weir.server.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code /v1/reserve}, {@code /v1/commit} and {@code /v1/refund}, over real sockets. */
class ReservationApiTest {
  private static final String RULES =
      """
      rules:
        - name: tokens
          per: user
          limit: { algorithm: fixed-window, rate: 1000 per hour }
          overrides:
            - { match: { tier: pro }, limit: { algorithm: fixed-window, rate: 5000 per hour } }
        - { name: calls, per: user, cost: 1, limit: { algorithm: fixed-window, rate: 10 per hour } }
        - { name: strict, match: { path: /a }, limit: 10 per hour }
      """;

  private Service service = Service.start(RULES);

  @AfterEach
  void close() {
    service.close();
  }

  private Service.Reply reserve(String rest) {
    return service.post("/v1/reserve", "{\"attributes\":{\"user\":\"u\"}," + rest + "}");
  }

  @Test
  void aWebPageReservesNothing() throws java.io.IOException {
    String id = id(reserve("\"cost\":100"));
    String body = "{\"attributes\":{\"user\":\"u\"},\"cost\":100}";
    String settle = "{\"reservation\":\"" + id + "\",\"cost\":0}";
    for (String header : java.util.List.of("Origin: http://a", "Sec-Fetch-Site: cross-site")) {
      assertThat(page("/v1/reserve", header, body)).startsWith("HTTP/1.1 403 ");
      assertThat(page("/v1/commit", header, settle)).startsWith("HTTP/1.1 403 ");
      assertThat(page("/v1/refund", header, body)).startsWith("HTTP/1.1 403 ");
    }
    assertThat(left()).as("this looked once").isEqualTo("900 8");
  }

  private String page(String path, String header, String body) throws java.io.IOException {
    return service.raw(
        "POST %s HTTP/1.1\r\nHost: a\r\n%s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
            .formatted(path, header, body.length(), body));
  }

  private static String id(Service.Reply reply) {
    return reply.body().replaceAll(".*\"reservation\":\"([^\"]*)\".*", "$1");
  }

  private Service.Reply commit(String id, long cost) {
    return service.post("/v1/commit", "{\"reservation\":\"" + id + "\",\"cost\":" + cost + "}");
  }

  private Service.Reply refund(String id) {
    return service.post("/v1/refund", "{\"reservation\":\"" + id + "\"}");
  }

  /** What is left of tokens, and of calls. */
  private String left() {
    return left("user=u");
  }

  private String left(String attributes) {
    String policies = service.get("/v1/check?cost=0&" + attributes).header("RateLimit");
    return number(policies, "tokens") + " " + number(policies, "calls");
  }

  private static String number(String policies, String rule) {
    return policies.replaceAll(".*\"" + rule + "\";r=(\\d+).*", "$1");
  }

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void commitChargesTheActualCost(HttpClient.Version version) {
    Service.Reply reserved =
        service.post(version, "/v1/reserve", "{\"attributes\":{\"user\":\"u\"},\"cost\":400}");
    assertThat(reserved.status()).isEqualTo(200);
    assertThat(reserved.body())
        .matches(
            "\\{\"reservation\":\"[A-Za-z0-9_-]{22}\",\"ttl_seconds\":600,\"allowed\":true,.*"
                + "\"origin\":\"memory\"}");
    assertThat(reserved.header("X-RateLimit-Limit")).isNotEmpty();
    assertThat(left()).isEqualTo("600 8"); // a look is a call too

    String id = id(reserved);
    Service.Reply committed =
        service.post(version, "/v1/commit", "{\"reservation\":\"" + id + "\",\"cost\":150}");
    assertThat(committed.status()).isEqualTo(200);
    assertThat(committed.body())
        .isEqualTo("{\"reservation\":\"" + id + "\",\"reserved\":400,\"cost\":150}");
    assertThat(left()).isEqualTo("850 7");
  }

  @Test
  void actualCostMayExceedTheReservedOne() {
    String id = id(reserve("\"cost\":100"));

    assertThat(commit(id, 300).status()).isEqualTo(200);
    assertThat(left()).startsWith("700 ");
  }

  @Test
  void refusalCreatesNoReservation() {
    Service.Reply refused = reserve("\"cost\":1001");

    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.body())
        .startsWith("{\"reservation\":null,\"allowed\":false,\"rule\":\"tokens\",")
        .contains("\"retry_after_ms\":-1");
    assertThat(left()).startsWith("1000 ");
  }

  @Test
  void refundReturnsAllPermits() {
    String id = id(reserve("\"cost\":400,\"ttl_seconds\":3600"));

    Service.Reply refunded = refund(id);
    assertThat(refunded.status()).isEqualTo(200);
    assertThat(refunded.body())
        .isEqualTo("{\"reservation\":\"" + id + "\",\"reserved\":400,\"cost\":0}");
    assertThat(left()).isEqualTo("1000 9");
  }

  @Test
  void repeatedRefundIsIdempotent() {
    String one = id(reserve("\"cost\":100"));
    String other = id(reserve("\"cost\":100"));
    commit(one, 10);
    refund(other);

    for (Service.Reply again :
        new Service.Reply[] {commit(one, 0), refund(one), commit(other, 0), refund(other)}) {
      assertThat(again.status()).isEqualTo(404);
      assertThat(again.body()).startsWith("{\"error\":\"reservation_settled\",");
    }
    assertThat(left()).startsWith("990 ");
    Service.Reply unknown = commit("AAAAAAAAAAAAAAAAAAAAAA", 0);
    assertThat(unknown.status()).isEqualTo(404);
    assertThat(unknown.body()).startsWith("{\"error\":\"reservation_unknown\",");
    assertThat(refund("\\u0000").status()).isEqualTo(404);
  }

  @Test
  void aRefundWithoutAReservation() {
    service.get("/v1/check?user=u&cost=500");
    service.get("/v1/check?user=u&tier=pro&cost=500");

    Service.Reply refunded =
        service.post("/v1/refund", "{\"attributes\":{\"user\":\"u\"},\"cost\":200}");

    assertThat(refunded.status()).isEqualTo(200);
    assertThat(refunded.body()).isEqualTo("{\"cost\":200,\"rules\":[\"tokens\",\"calls\"]}");
    assertThat(left()).isEqualTo("700 8");
    assertThat(left("user=u&tier=pro")).startsWith("4500 ");
  }

  @Test
  void neverGrantsMoreThanTheLimit() {
    service.get("/v1/check?user=u&cost=1");
    service.post("/v1/refund", "{\"attributes\":{\"user\":\"u\"},\"cost\":9223372036854775807}");

    assertThat(left()).startsWith("1000 ");
    assertThat(service.post("/v1/refund", "{\"attributes\":{\"nobody\":\"u\"}}").body())
        .isEqualTo("{\"cost\":1,\"rules\":[]}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "reserve | {}                                             | 'attributes' is missing",
        "reserve | {\"attributes\":{},\"ttl_seconds\":0}          | 'ttl_seconds' must be from 1",
        "reserve | {\"attributes\":{},\"ttl_seconds\":3601}       | from 1 to 3600",
        "reserve | {\"attributes\":{},\"ttl_seconds\":1.5}        | must be a whole number",
        "reserve | {\"attributes\":{},\"reservation\":\"x\"}      | unknown field 'reservation'",
        "reserve | {\"attributes\":{\"path\":\"/%\"}}             | hexadecimal",
        "reserve | []                                             | the body must be an object",
        "commit  | {\"reservation\":\"x\"}                        | 'cost' is missing",
        "commit  | {\"cost\":1}                                   | 'reservation' is missing",
        "commit  | {\"reservation\":7,\"cost\":1}                 | must be a string",
        "commit  | {\"reservation\":\"x\",\"cost\":-1}            | must not be negative",
        "commit  | {\"attributes\":{},\"cost\":1}                 | unknown field 'attributes'",
        "refund  | {}                                             | or name a 'reservation'",
        "refund  | {\"cost\":1}                                   | or name a 'reservation'",
        "refund  | {\"reservation\":\"x\",\"cost\":1}             | which comes back whole",
        "refund  | {\"reservation\":\"x\",\"attributes\":{}}      | which comes back whole",
        "refund  | {\"attributes\":{},\"cost\":-1}                | must not be negative",
      })
  void bodiesThatMakeNoSense(String endpoint, String body, String message) {
    Service.Reply reply = service.post("/v1/" + endpoint, body);

    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.body()).startsWith("{\"error\":\"bad_request\"").contains(message);
  }

  @Test
  void refundsAreForCallersNearOrKnown() {
    String refund = "{\"attributes\":{\"user\":\"u\"}}";
    Service.Reply page =
        service.send(
            service
                .request(HttpClient.Version.HTTP_1_1, "/v1/refund")
                .header("Origin", "https://evil.example")
                .POST(HttpRequest.BodyPublishers.ofString(refund)));
    assertThat(page.status()).isEqualTo(403);

    service.close();
    service = Service.builder(RULES).far().start();
    assertThat(service.post("/v1/refund", refund).status()).isEqualTo(403);
    assertThat(service.post("/v1/refund", refund).body()).contains("\"error\":\"forbidden\"");
    String id = id(reserve("\"cost\":100"));
    assertThat(commit(id, 10).status()).isEqualTo(200);

    service.close();
    service = Service.builder(RULES).far().token("t").start();
    Service.Reply known =
        service.send(
            service
                .request(HttpClient.Version.HTTP_1_1, "/v1/refund")
                .header("Authorization", "Bearer t")
                .POST(HttpRequest.BodyPublishers.ofString(refund)));
    assertThat(known.status()).isEqualTo(200);
  }
}
