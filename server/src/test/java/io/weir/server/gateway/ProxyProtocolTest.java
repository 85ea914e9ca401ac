package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rules.file.RuleFiles;
import io.weir.rules.match.Network;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that begin with the PROXY protocol. */
class ProxyProtocolTest {
  private static final String RULES = "rules: [ { name: one, per: ip, limit: 1 per hour } ]";
  private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  private static final String SECOND = "\r\n\r\n\000\r\nQUIT\n";

  private Server server;

  private void start(String trusted) {
    server =
        Server.start(
            ServerSettings.DEMO.onFreePorts().toBuilder()
                .trustedProxies(List.of(Network.parse(trusted)))
                .proxyProtocol(true)
                .build(),
            RuleFiles.read("rules.yaml", RULES.getBytes(ISO_8859_1)).rules().orElseThrow());
  }

  @AfterEach
  void close() {
    if (server != null) {
      server.close();
    }
  }

  private String send(String... parts) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", server.gatewayPort())) {
      socket.setSoTimeout(30_000);
      socket.setTcpNoDelay(true);
      for (String part : parts) {
        socket.getOutputStream().write(part.getBytes(ISO_8859_1));
      }
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    } catch (SocketException reset) {
      return "";
    }
  }

  private static String second(int command, int family, String rest) {
    return SECOND
        + (char) command
        + (char) family
        + (char) (rest.length() >> 8)
        + (char) (rest.length() & 0xff)
        + rest;
  }

  private static final String FOUR = "\313\000\161\007\177\000\000\001\000\120\000\121";
  private static final String SIX =
      "\040\001\r\270\000\000\000\000\000\000\000\000\000\000\000\007\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\001\000\120\000\121";

  @Test
  void usesClientAddressOfTheProxyHeader() throws IOException {
    start("127.0.0.1");
    String[] headers = {
      "PROXY TCP4 203.0.113.1 127.0.0.1 80 81\r\n",
      "PROXY TCP6 2001:db8:0:1::7 ::1 80 81\r\n",
      second(0x21, 0x11, FOUR),
      second(0x21, 0x21, SIX + "\003\000\004more"),
    };
    String[] clients = {"203.0.113.1", "2001:db8:0:1::7", "203.0.113.7", "2001:db8::7"};
    for (int i = 0; i < headers.length; i++) {
      assertThat(send(headers[i] + GET))
          .startsWith("HTTP/1.1 200 ")
          .contains("\"X-Forwarded-For\":\"" + clients[i] + "\"");
      assertThat(send(headers[i] + GET.replace("Host", "X-Forwarded-For: 6.6.6.6\r\nHost")))
          .as("it is known again")
          .startsWith("HTTP/1.1 429 ");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"PROXY UNKNOWN\r\n", "PROXY UNKNOWN any thing else 1 2\r\n", "local", "unix"})
  void acceptsLocalCommandOfTheProxy(String how) throws IOException {
    start("127.0.0.1");
    String header =
        switch (how) {
          case "local" -> second(0x20, 0, "");
          case "unix" -> second(0x21, 0x31, "a".repeat(216));
          default -> how;
        };
    assertThat(send(header + GET)).contains("\"X-Forwarded-For\":\"127.0.0.1\"");
  }

  @Test
  void acceptsHeaderByteByByte() throws IOException {
    start("127.0.0.1");
    String all = second(0x21, 0x11, FOUR) + GET;
    assertThat(send(all.split("")))
        .startsWith("HTTP/1.1 200 ")
        .contains("\"X-Forwarded-For\":\"203.0.113.7\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "PROXY",
        "PROXY \r\n",
        "PROXY TCP4\r\n",
        "proxy TCP4 1.1.1.1 2.2.2.2 1 2\r\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2 1\r\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2 1 2 3\r\n",
        "PROXY TCP4 1.1.1.1  2.2.2.2 1 2\r\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2 1 2\n",
        "PROXY TCP4 1.1.1 2.2.2.2 1 2\r\n",
        "PROXY TCP4 0177.1 2.2.2.2 1 2\r\n",
        "PROXY TCP4 ::1 ::1 1 2\r\n",
        "PROXY TCP6 1.1.1.1 2.2.2.2 1 2\r\n",
        "PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n",
        "PROXY TCP4 localhost 2.2.2.2 1 2\r\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2 1 65536\r\n",
        "PROXY TCP4 1.1.1.1 2.2.2.2 -1 2\r\n",
        "PROXY UDP4 1.1.1.1 2.2.2.2 1 2\r\n",
        "\r\n\r\n\000\r\nQUIT\n\021\021\000\014",
        "\r\n\r\n\000\r\nQUIT\n\042\021\000\014",
        "\r\n\r\n\000\r\nQUIT\n\041\021\000\003",
        "\r\n\r\n\000\r\nQUIT\n\041\021\377\377",
        "\r\n\r\n\000\r\nQUIX",
      })
  void closesConnectionWithInvalidHeader(String header) throws IOException {
    start("127.0.0.1");
    assertThat(send(header + GET)).isEmpty();
    assertThat(send(header, "x".repeat(200), GET)).isEmpty();
    assertThat(send("PROXY TCP4 203.0.113.9 127.0.0.1 80 81\r\n" + GET))
        .startsWith("HTTP/1.1 200 ");
  }

  @Test
  void ignoresHeaderOfUntrustedPeer() throws IOException {
    start("10.0.0.0/8");
    assertThat(send("PROXY TCP4 203.0.113.1 127.0.0.1 80 81\r\n" + GET))
        .startsWith("HTTP/1.1 400 ");
    assertThat(send(second(0x21, 0x11, FOUR) + GET)).doesNotContain(" 200 ");
    assertThat(send(GET)).contains("\"X-Forwarded-For\":\"127.0.0.1\"");
  }

  @ParameterizedTest
  @CsvSource({"false, true", "true, false"})
  void requiresTrustedProxies(boolean isSet, boolean isFine) {
    var settings = ServerSettings.DEMO.toBuilder().proxyProtocol(isSet);
    if (isFine) {
      assertThat(settings.build().edge().proxyProtocol()).isFalse();
    } else {
      assertThatThrownBy(settings::build).hasMessageContaining("trusted_proxies");
    }
  }
}
