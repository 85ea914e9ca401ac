package io.weir.server.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code /v1/check}, over real sockets and both versions of HTTP. */
class CheckApiTest {
  private final Service service =
      Service.start(
          """
          attributes:
            api_key: { header: X-API-Key }
            session: { cookie: sid }
            tier: { lookup: api_key, map: { gold: pro }, default: free }
            client: { first_of: [api_key, ip] }
          rules:
            - { name: user, per: user, limit: { rate: 1 per second, burst: 3 } }
            - name: login
              match: { method: GET, path: "/a/{id}", host: shop.example }
              per: ip
              limit: { algorithm: fixed-window, rate: 2 per minute }
            - { name: key, match: { kind: key }, per: client, limit: 2 per hour }
            - { name: pro, match: { kind: tier, tier: pro }, limit: 1 per hour }
            - { name: session, per: session, limit: 1 per hour }
            - { name: tokens, per: model, cost: tokens, limit: 1000 per minute }
            - { name: queue, per: queue, limit: { algorithm: leaky-bucket, rate: 1 per second } }
            - { name: never, match: { never: "*" }, limit: 0 per hour }
            - { name: seen, match: { seen: "*" }, mode: shadow, limit: 1 per hour }
          """);

  @AfterEach
  void close() {
    service.close();
  }

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void returnsAllOfADecision(HttpClient.Version version) {
    String body = "{\"attributes\":{\"user\":\"42\"},\"cost\":2}";

    Service.Reply first = service.post(version, "/v1/check", body);
    assertThat(first.status()).isEqualTo(200);
    assertThat(first.body())
        .isEqualTo(
            "{\"allowed\":true,\"rule\":\"user\",\"limit\":3,\"remaining\":1,\"retry_after_ms\":0,"
                + "\"reset_after_ms\":2000,\"delay_ms\":0,\"time\":1790000000000,"
                + "\"origin\":\"memory\"}");
    assertThat(first.header("Content-Type")).isEqualTo("application/json");
    assertThat(first.header("Cache-Control")).isEqualTo("no-store");
    assertThat(first.header("X-RateLimit-Limit")).isEqualTo("3");
    assertThat(first.header("X-RateLimit-Remaining")).isEqualTo("1");
    assertThat(first.header("X-RateLimit-Reset")).isEqualTo("1790000002");
    assertThat(first.header("RateLimit-Policy")).isEqualTo("\"user\";q=3;w=3");
    assertThat(first.header("RateLimit")).isEqualTo("\"user\";r=1;t=1");
    assertThat(first.header("Retry-After")).isEmpty();

    Service.Reply second = service.post(version, "/v1/check", body);
    assertThat(second.status()).isEqualTo(429);
    assertThat(second.body())
        .isEqualTo(
            "{\"allowed\":false,\"rule\":\"user\",\"limit\":3,\"remaining\":1,"
                + "\"retry_after_ms\":1000,\"reset_after_ms\":2000,\"delay_ms\":0,"
                + "\"time\":1790000000000,\"origin\":\"memory\"}");
    assertThat(second.header("Retry-After")).isEqualTo("1");
    assertThat(second.header("X-RateLimit-Retry-After")).isEqualTo("1");

    service.time.advance(Duration.ofMillis(1000));
    assertThat(service.post(version, "/v1/check", body).status()).isEqualTo(200);
  }

  @Test
  void nothingMatches() {
    Service.Reply reply = service.post("/v1/check", "{\"attributes\":{\"other\":\"1\"}}");

    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.body())
        .startsWith(
            "{\"allowed\":true,\"rule\":null,\"limit\":null,\"remaining\":null,"
                + "\"retry_after_ms\":0,\"reset_after_ms\":0,\"delay_ms\":0,\"time\":")
        .endsWith("\"time\":" + Service.NOW + ",\"origin\":\"memory\"}");
    assertThat(reply.response().headers().map().keySet())
        .noneMatch(name -> name.contains("ratelimit"));
  }

  @Test
  void reportsRequestThatNeverFits() {
    Service.Reply reply = service.get("/v1/check?never=1");

    assertThat(reply.status()).isEqualTo(429);
    assertThat(reply.body()).contains("\"remaining\":0,\"retry_after_ms\":-1,");
    assertThat(reply.header("Retry-After")).isEmpty();
  }

  @Test
  void returnsTheDelayOfAQueue() {
    service.get("/v1/check?queue=1");
    service.time.advance(Duration.ofMillis(1)); // the next turn is 999 ms away

    assertThat(service.get("/v1/check?queue=1").body()).contains("\"delay_ms\":999,");
  }

  @Test
  void hidesShadowRules() {
    for (int i = 0; i < 3; i++) {
      Service.Reply reply = service.get("/v1/check?seen=1");
      assertThat(reply.status()).isEqualTo(200);
      assertThat(reply.body()).contains("\"rule\":null");
    }
  }

  /** The same check, each time with another spelling; the third exceeds the limit. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "user=%34%32                         | user=42             | user=4%32&",
        "user=a+b                            | user=a%20b          | &user=a+b",
        "user=%C3%BC%F0%9F%98%80             | user=ü%F0%9F%98%80 | user=%c3%bc%f0%9f%98%80",
        "user=42&unknown=1                   | unknown=2&user=42   | user=42&cost=1",
      })
  void queriesAreDecoded(String one, String two, String three) {
    for (String query : new String[] {one, two, three}) {
      String target = "/v1/check?" + query.replace("ü", "%C3%BC");
      assertThat(service.get(target).status()).as(query).isEqualTo(200);
    }
    assertThat(service.get("/v1/check?" + three).status()).isEqualTo(429);
  }

  /** What the rules normalise, in any description of a request. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'\"method\":\"HEAD\",\"path\":\"/x/../a//1/;v=1\",\"host\":\"SHOP.example:8080\"'",
        "'\"method\":\"get\",\"path\":\"/%61/1?q=2\",\"host\":\"shop.example.\"'",
      })
  void attributesAreNormalisedAsFromHttp(String spelled) {
    String plain = "\"method\":\"GET\",\"path\":\"/a/1\",\"host\":\"shop.example\"";
    String ip = ",\"ip\":\"2001:db8::1\"";
    String sameNetwork = ",\"ip\":\"[2001:DB8:0:0:ffff::9]:80\"";

    assertThat(check(plain + ip)).isEqualTo(200);
    assertThat(check(spelled + sameNetwork)).isEqualTo(200);
    assertThat(check(spelled + ip)).isEqualTo(429);
  }

  private int check(String attributes) {
    return service.post("/v1/check", "{\"attributes\":{" + attributes + "}}").status();
  }

  @Test
  void peerAndOwnPathAreNotAttributes() {
    for (int i = 0; i < 3; i++) {
      assertThat(service.get("/v1/check?kind=key").body()).contains("\"rule\":null");
    }
  }

  @Test
  void derivedAttributesIgnoreCallersValues() {
    assertThat(check("\"kind\":\"key\",\"client\":\"me\",\"api_key\":\"k\"")).isEqualTo(200);
    assertThat(check("\"kind\":\"key\",\"client\":\"you\",\"api_key\":\"k\"")).isEqualTo(200);
    assertThat(check("\"kind\":\"key\",\"client\":\"they\",\"api_key\":\"k\"")).isEqualTo(429);

    assertThat(check("\"kind\":\"tier\",\"tier\":\"pro\"")).isEqualTo(200);
    assertThat(check("\"kind\":\"tier\",\"tier\":\"pro\"")).isEqualTo(200);
    assertThat(check("\"kind\":\"tier\",\"api_key\":\"gold\"")).isEqualTo(200);
    assertThat(check("\"kind\":\"tier\",\"api_key\":\"gold\"")).isEqualTo(429);
  }

  /** Rules find them in headers and cookies; here they come by their names, and only so. */
  @Test
  void fieldsOfRequestsComeByTheirNames() {
    assertThat(service.get("/v1/check?other=1", "Cookie", "sid=1").body())
        .contains("\"rule\":null");
    assertThat(check("\"session\":\"1\"")).isEqualTo(200);
    assertThat(check("\"session\":\"1\"")).isEqualTo(429);
  }

  @Test
  void numbersAndNullAreValuesToo() {
    assertThat(check("\"user\":7")).isEqualTo(200);
    assertThat(check("\"user\":\"7\",\"ip\":null")).isEqualTo(200);
    assertThat(check("\"user\":7,\"ip\":\"\"")).isEqualTo(200);
    assertThat(check("\"user\":\"7\"")).isEqualTo(429);
  }

  @Test
  void costMayBeAnAttribute() {
    assertThat(check("\"model\":\"m\",\"tokens\":900")).isEqualTo(200);
    assertThat(check("\"model\":\"m\",\"tokens\":101")).isEqualTo(429);
    assertThat(check("\"model\":\"m\",\"tokens\":\"many\"")).isEqualTo(400);
  }

  @Test
  void nothingIsSpentForACostOfZero() {
    for (int i = 0; i < 5; i++) {
      assertThat(service.get("/v1/check?user=0&cost=0").body()).contains("\"remaining\":3,");
    }
  }

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void headIsDecidedWithoutABody(HttpClient.Version version) {
    Service.Reply reply =
        service.send(
            service
                .request(version, "/v1/check?user=head")
                .method("HEAD", HttpRequest.BodyPublishers.noBody()));

    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.header("X-RateLimit-Remaining")).isEqualTo("2");
    assertThat(reply.body()).isEmpty();
    assertThat(service.get("/v1/check?user=head").body()).contains("\"remaining\":1,");
  }

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void aListIsDecidedInItsOrder(HttpClient.Version version) {
    Service.Reply reply =
        service.post(
            version,
            "/v1/check",
            """
            [{"attributes":{"user":"l"},"cost":2},
             {"attributes":{"user":"l"},"cost":2},
             {"attributes":{"method":"GET","host":"shop.example","path":"/%"}},
             {"attributes":{"user":"l"}},
             {"attributes":{}}]
            """);

    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.response().headers().map().keySet())
        .noneMatch(name -> name.contains("ratelimit") || name.contains("retry"));
    String[] elements = reply.body().split("(?<=}),");
    assertThat(elements).hasSize(5);
    assertThat(elements[0]).startsWith("[{\"allowed\":true,\"rule\":\"user\"").contains("g\":1,");
    assertThat(elements[1]).startsWith("{\"allowed\":false,").contains("\"retry_after_ms\":1000");
    assertThat(elements[2]).startsWith("{\"error\":\"bad_request\",\"message\":\"");
    assertThat(elements[3]).startsWith("{\"allowed\":true,").contains("\"remaining\":0,");
    assertThat(elements[4]).startsWith("{\"allowed\":true,\"rule\":null,").endsWith("]");
  }

  @Test
  void aListMayBeEmptyOrLong() {
    assertThat(service.post("/v1/check", " [ ] ").body()).isEqualTo("[]");

    String check = "{\"attributes\":{\"user\":\"1\"}}";
    String longestList = "[" + (check + ",").repeat(999) + check + "]";
    Service.Reply reply = service.post("/v1/check", longestList);
    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.body().split("\"allowed\":true", -1)).hasSize(1 + 3);
    assertThat(reply.body().split("\"allowed\":false", -1)).hasSize(1 + 997);

    Service.Reply tooLong = service.post("/v1/check", "[" + check + "," + longestList.substring(1));
    assertThat(tooLong.status()).isEqualTo(400);
    assertThat(tooLong.body()).contains("more than 1000 questions");
  }

  @Test
  void aListWithAMistakeIsNotDecidedAtAll() {
    String body = "[{\"attributes\":{\"user\":\"x\"},\"cost\":3},{\"attributes\":{},\"costs\":1}]";

    assertThat(service.post("/v1/check", body).status()).isEqualTo(400);
    assertThat(service.get("/v1/check?user=x").body()).contains("\"remaining\":2,");
  }

  @Test
  void otherPathsAndMethods() {
    assertThat(service.get("/v1/checks").status()).isEqualTo(404);
    assertThat(service.get("/v1/check/").status()).isEqualTo(404);
    assertThat(service.get("/V1/check").status()).isEqualTo(404);
    Service.Reply reply =
        service.send(service.request(HttpClient.Version.HTTP_1_1, "/v1/check").DELETE());
    assertThat(reply.status()).isEqualTo(405);
    assertThat(reply.header("Allow")).isEqualTo("POST, GET, HEAD");
    assertThat(service.get("/v1/reserve").header("Allow")).isEqualTo("POST");
  }
}
