package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Responses that clients could read in another way than the gateway become a 502. */
class MalformedResponsesTest {
  private static final String UPGRADE = "Upgrade: websocket\r\nConnection: Upgrade\r\n";

  private final List<LogRecord> severe = new CopyOnWriteArrayList<>();
  private final Logger log = Logger.getLogger("io.weir.server");
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord each) {
          if (each.getLevel().equals(Level.SEVERE)) {
            severe.add(each);
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    log.addHandler(handler);
  }

  @AfterEach
  void leave() {
    log.removeHandler(handler);
  }

  private static final List<String> HEADS =
      List.of(
          "HTTP/1.1 1000 Odd\r\n",
          "HTTP/1.1 20 Odd\r\n",
          "HTTP/1.1 200 O\u0001K\r\n",
          "HTTP/1.1 200 O\rX: y\r\n",
          "HTTP/1.1 200 OK\r\n: x\r\n",
          "HTTP/1.1 099 Odd\r\n",
          "HTTP/1.1 000 Odd\r\n",
          "HTTP/1.1 +200 OK\r\n",
          "HTTP/1.1 00200 OK\r\n",
          "HTTP/1.1\t200 OK\r\n",
          "HTTP/1.1  200 OK\r\n",
          "HTTP/1.1 200\u000bOK\r\n",
          "\u0000HTTP/1.1 200 OK\r\n",
          "HTTP/1.1 200 OK\r\nX: y\r\n \u0000\r\n");

  /** Each by the gateway's own client, and by that of Vert.x: over TLS, and for WebSockets. */
  static Stream<Arguments> cases() {
    return HEADS.stream()
        .flatMap(
            head ->
                Stream.of("http", "https")
                    .flatMap(
                        scheme ->
                            Stream.of("", UPGRADE)
                                .map(lines -> Arguments.of(scheme, lines, head))));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void refusesMalformedResponse(String scheme, String lines, String head) throws IOException {
    assertThat(answer(scheme, head, lines)).startsWith("HTTP/1.1 502 ");
    assertThat(severe).isEmpty();
  }

  /** The gateway's response if a server sends {@code head} and a body of two bytes. */
  private static String answer(String scheme, String head, String lines) throws IOException {
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      boolean isTls = scheme.equals("https");
      Thread serving = new Thread(() -> serve(server, isTls, head + "Content-Length: 2\r\n\r\nok"));
      serving.setDaemon(true);
      serving.start();
      URI url = URI.create(scheme + "://localhost:" + server.getLocalPort());
      try (GatewayFixture gatewayFixture = ProtocolCombinations.before(url)) {
        String request = "GET / HTTP/1.1\r\nHost: a\r\n" + lines + "Connection: close\r\n\r\n";
        return gatewayFixture.raw(request);
      }
    }
  }

  private static void serve(ServerSocket server, boolean isTls, String response) {
    while (true) {
      try (Socket bare = server.accept();
          Socket socket = isTls ? TlsSockets.over(bare) : bare) {
        InputStream in = socket.getInputStream();
        StringBuilder request = new StringBuilder();
        while (request.indexOf("\r\n\r\n") < 0) {
          request.append((char) in.read());
        }
        socket.getOutputStream().write(response.getBytes(ISO_8859_1));
        in.readAllBytes(); // stays open: the gateway must refuse it before the end
      } catch (IOException closed) {
        if (server.isClosed()) {
          return;
        }
      }
    }
  }
}
