package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.codec.NameVariants;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Header names that nearly mean something mean nothing to the gateway: CVE-2026-102479. */
class NameVariantsTest {
  private static final Pattern LEFT = Pattern.compile("(?im)^ratelimit: \"many\";r=(\\d+)");
  private static final int IN_ONE_RESPONSE = 100;

  @Test
  void decidesRequestAfterOneWithAVariantHeader() throws Exception {
    try (RawUpstream upstream = new RawUpstream();
        GatewayFixture gatewayFixture =
            new GatewayFixture("rules: [ { name: many, limit: 1000 per day } ]", upstream.url())) {
      for (NameVariants.Header header : NameVariants.ordinary(1, 60)) {
        int before = upstream.heads().size();
        String output =
            gatewayFixture.raw(
                "POST /a HTTP/1.1\r\nHost: a\r\n"
                    + header.name()
                    + ": "
                    + header.value()
                    + "\r\n\r\nGET /second HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        List<Integer> left =
            LEFT.matcher(output).results().map(each -> Integer.parseInt(each.group(1))).toList();
        assertThat(left).as("two decisions: %s", header).hasSize(2);
        assertThat(left.get(0) - left.get(1)).as("a permit each: %s", header).isEqualTo(1);
        List<String> seen = upstream.heads().subList(before, before + 2);
        assertThat(seen.get(0)).startsWith("POST /a ").contains("\r\n" + header.name() + ": ");
        assertThat(seen.get(1)).startsWith("GET /second ");
      }
    }
  }

  /** Of a server with TLS, whose responses Vert.x's client reads. */
  @Test
  void readsResponsesWithVariantHeadersOverTls() throws Exception {
    List<NameVariants.Header> all = new ArrayList<>(NameVariants.all());
    all.removeIf(each -> !NameVariants.isName(each.name()) || NameVariants.isSpecial(each));
    List<String> responses = new ArrayList<>();
    for (int from = 0; from < all.size(); from += IN_ONE_RESPONSE) {
      StringBuilder head = new StringBuilder("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n");
      for (NameVariants.Header header :
          all.subList(from, Math.min(all.size(), from + IN_ONE_RESPONSE))) {
        head.append(header.name()).append(": ").append(header.value()).append("\r\n");
      }
      responses.add(head.append("\r\nok").toString());
    }
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        GatewayFixture gatewayFixture =
            ProtocolCombinations.before(URI.create("https://localhost:" + server.getLocalPort()))) {
      Thread serving = new Thread(() -> serve(server, responses), "server");
      serving.setDaemon(true);
      serving.start();
      for (String response : responses) {
        String received = gatewayFixture.get();
        assertThat(received).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\nok");
        assertThat(received.lines()).containsAll(response.lines().skip(2).toList());
      }
    }
  }

  /** Serves one connection. */
  private static void serve(ServerSocket server, List<String> responses) {
    try (Socket bare = server.accept();
        Socket socket = TlsSockets.over(bare)) {
      InputStream in = socket.getInputStream();
      for (String response : responses) {
        StringBuilder request = new StringBuilder();
        while (request.indexOf("\r\n\r\n") < 0) {
          int next = in.read();
          if (next < 0) {
            return;
          }
          request.append((char) next);
        }
        socket.getOutputStream().write(response.getBytes(ISO_8859_1));
      }
    } catch (IOException gone) {
      // the test fails
    }
  }
}
