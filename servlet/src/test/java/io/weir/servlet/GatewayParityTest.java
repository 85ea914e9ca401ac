package io.weir.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.TimeSource;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The gateway and the filter decide the same requests by the same rules, with equal responses. */
@ParameterizedClass
@EnumSource(Container.class)
class GatewayParityTest {
  private static final String RULES =
      """
      attributes:
        api_key: { header: X-API-Key }
        session: { cookie: SESSION }
        page: { query: page }
      rules:
        - { name: key, per: api_key, limit: { rate: 2 per second, burst: 5 } }
        - name: login
          match: { method: POST, path: /login }
          per: ip
          limit: { algorithm: sliding-log, rate: 1 per minute }
        - { name: session, per: session, limit: { algorithm: sliding-window, rate: 2 per hour } }
        - { name: page, per: page, limit: { algorithm: sliding-epochs, rate: 2 per 10m } }
        - name: double
          match: { path: /double/** }
          limits: [ { algorithm: fixed-window, rate: 3 per minute }, { rate: 2 per second } ]
        - { name: host, match: { host: few.example }, limit: { algorithm: fixed-window, rate: 1 per day } }
        - { name: never, match: { path: /never }, limit: 0 per second }
        - { name: heavy, match: { path: /heavy }, cost: 7, limit: 3 per second }
        - { name: shadow, mode: shadow, limit: { rate: 1 per minute } }
      """;

  private final Container container;
  private Server gateway;
  private Container.Running app;

  GatewayParityTest(Container container) {
    this.container = container;
  }

  @BeforeEach
  void start() throws Exception {
    gateway =
        Server.builder(ServerSettings.DEMO.onFreePorts())
            .rules(Application.rules(RULES))
            .time(TimeSource.manual())
            .start();
    app = container.start(Application.echo(Application.filter(RULES)));
  }

  @AfterEach
  void stop() throws Exception {
    app.close();
    gateway.close();
  }

  @Test
  void refusalsAreTheSame() throws Exception {
    for (int i = 0; i < 7; i++) {
      assertSame("GET", "/", "X-API-Key: one");
    }
    assertSame("GET", "/", "X-API-Key: one", "Accept: application/problem+json");
    assertSame("HEAD", "/", "X-API-Key: one");
    for (int i = 0; i < 3; i++) {
      assertSame("POST", "/login", "Content-Length: 0");
      assertSame("GET", "/x", "Cookie: a=b; SESSION=\"s1\"");
      assertSame("GET", "/x?page=%31&q=2");
      assertSame("GET", "/double/a/../b");
      assertSame("GET", "/y", "Host: FEW.example:80");
    }
    assertSame("GET", "/never");
    assertSame("GET", "/heavy", "Accept: application/problem+json, application/json;q=0.5");
    assertSame("DELETE", "/elsewhere");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /?page=1&page=2",
        "GET /?page=%zz",
        "GET /a%2fb",
        "GET /a%5cb",
        "GET /a%00b",
        "GET /../a",
        "GET /%2e%2e/a",
        "GET /a/..;/../../b",
        "get /a",
        "TRACE /a",
      })
  void rejectsAmbiguousRequestWithTheSameMessage(String line) throws Exception {
    String[] words = line.split(" ", -1);
    RawConnection.Response ofFilter = RawConnection.send(app.port(), words[0], words[1]);
    RawConnection.Response ofGateway =
        RawConnection.send(gateway.gatewayPort(), words[0], words[1]);
    assertThat(ofGateway.status()).isEqualTo(400);
    if (String.valueOf(ofFilter.header("Content-Type")).startsWith("text/html")) {
      assertThat(ofFilter.status()).isGreaterThanOrEqualTo(400); // the container does not let it in
    } else {
      assertThat(ofFilter.comparable()).isEqualTo(ofGateway.comparable());
    }
  }

  @Test
  void rejectsRepeatedFieldWithTheSameMessage() throws Exception {
    assertSame("GET", "/", "X-API-Key: one", "X-API-Key: two");
    assertSame("GET", "/", "Cookie: SESSION=1", "Cookie: SESSION=2");
    assertSame("GET", "/", "X-API-Key: 1", "X-API-Key: 2", "Accept: application/problem+json");
  }

  private void assertSame(String method, String target, String... headers) throws Exception {
    RawConnection.Response ofFilter = RawConnection.send(app.port(), method, target, headers);
    RawConnection.Response ofGateway =
        RawConnection.send(gateway.gatewayPort(), method, target, headers);
    if (ofGateway.status() == 200) {
      assertThat(ofFilter.status()).isEqualTo(200);
      assertThat(limits(ofFilter)).as(method + " " + target).isEqualTo(limits(ofGateway));
    } else {
      assertThat(ofFilter.comparable()).as(method + " " + target).isEqualTo(ofGateway.comparable());
    }
  }

  private static TreeMap<String, Object> limits(RawConnection.Response response) {
    TreeMap<String, Object> limits = new TreeMap<>(response.headers());
    limits.keySet().removeIf(name -> !name.contains("ratelimit") && !name.equals("retry-after"));
    return limits;
  }
}
