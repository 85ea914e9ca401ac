package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code close} is respected among other connection options. */
class ConnectionCloseTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1\r\nConnection: close",
        "HTTP/1.1\r\nConnection: TE, close\r\nTE: trailers",
        "HTTP/1.1\r\nConnection: close,x",
        "HTTP/1.1\r\nConnection: keep-alive, Close",
        "HTTP/1.1\r\nConnection: x\r\nConnection: close",
        "HTTP/1.1\r\nConnection:\r\n close",
        "HTTP/1.0\r\nConnection: x",
        "HTTP/1.0\r\nConnection: close\r\nConnection: keep-alive"
      })
  void closesAfterTheResponse(String rest) throws IOException {
    try (RawUpstream upstream = new RawUpstream();
        GatewayFixture gatewayFixture =
            new GatewayFixture(
                "rules: [ { name: many, limit: 1000 per second } ]", upstream.url())) {
      String next = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";
      String response = gatewayFixture.raw("GET /a " + rest + "\r\nHost: a\r\n\r\n" + next);
      assertThat(response.split("HTTP/1\\.[01] ", -1)).as(response).hasSize(2);
      assertThat(response).contains(" 200 ").endsWith("ok");
      assertThat(upstream.bytes()).doesNotContain("/next");
    }
  }
}
