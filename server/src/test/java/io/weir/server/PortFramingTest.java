package io.weir.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import io.weir.server.codec.NameVariants;
import io.weir.server.gateway.FramingCases;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** On every port two servers would see the end of a request in the same place, or it is refused. */
class PortFramingTest {
  private static final String RULES =
      """
      rules:
        - { name: marker, match: { path: /marker }, limit: 0 per day }
      """;

  private static Server server;

  /** A port, a request with the response 200, and the response to an unknown path. */
  enum Port {
    GATEWAY("/", "a", 429),
    SERVICE("/v1/check?user=1", "a", 404),
    ADMIN("/health/live", "localhost", 404),
    HEALTH("/health/live", "a", 404);

    private final String path;
    private final String host;
    private final int marker;

    Port(String path, String host, int marker) {
      this.path = path;
      this.host = host;
      this.marker = marker;
    }

    int number() {
      return switch (this) {
        case GATEWAY -> server.gatewayPort();
        case SERVICE -> server.servicePort();
        case ADMIN -> server.adminPort();
        case HEALTH -> server.healthPort().orElseThrow();
      };
    }

    private Connection connect() throws IOException {
      return new Connection(number());
    }

    private String request(String target, String headers) {
      // A blank before a line makes it a part of X, as RFC 9112 has it, and not of the host.
      return "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nX: y\r\n" + headers + "\r\n";
    }
  }

  @BeforeAll
  static void start() {
    RuleSet rules = RuleFiles.read("rules.yaml", RULES.getBytes(US_ASCII)).rules().orElseThrow();
    server =
        Server.start(ServerSettings.DEMO.onFreePorts().toBuilder().healthPort(0).build(), rules);
  }

  @AfterAll
  static void close() {
    server.close();
  }

  /**
   * Each name that differs by one byte from one that decoders recognise, on kept connections. The
   * next request gets a response of its own, or the connection ends with a 400.
   */
  @ParameterizedTest
  @EnumSource(Port.class)
  void servesRequestBehindAlmostSpecialHeader(Port port) throws IOException {
    int passed = 0;
    Connection connection = port.connect();
    for (NameVariants.Header header : NameVariants.all()) {
      if (NameVariants.isSpecial(header)) {
        continue;
      }
      String line = header.name() + ": " + header.value() + "\r\n";
      connection.send(port.request(port.path, line) + port.request("/marker", ""));
      int status = connection.status();
      if (status == 400) {
        assertThat(connection.isAtEnd()).as("400 ends it: %s", header).isTrue();
        connection.close();
        connection = port.connect();
      } else {
        assertThat(status).as("%s", header).isEqualTo(200);
        assertThat(connection.status()).as("behind %s", header).isEqualTo(port.marker);
        passed++;
      }
    }
    connection.close();
    assertThat(passed).as("those that are ordinary headers").isGreaterThan(8000);
  }

  static Stream<Arguments> heads() {
    List<Arguments> all = new ArrayList<>();
    for (Port port : Port.values()) {
      FramingCases.heads()
          // A folded line is a part of the host, which only the gateway and the service look at.
          .filter(each -> port == Port.GATEWAY || !"TE after a blank".equals(each.get()[0]))
          .forEach(each -> all.add(Arguments.of(port, each.get()[0], each.get()[1])));
    }
    return all.stream();
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("heads")
  void refusesUnclearHead(Port port, String name, String request) throws IOException {
    try (Connection connection = port.connect()) {
      connection.send(request.replace("Host: a\r\n", "Host: " + port.host + "\r\n"));
      assertThat(connection.status()).isIn(400, 501, 505);
      assertThat(connection.isAtEnd()).as("one response").isTrue();
    }
  }

  /** An HTTP/1.1 connection; responses are read one by one. */
  private static final class Connection implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;

    Connection(int port) throws IOException {
      socket = new Socket("127.0.0.1", port);
      socket.setSoTimeout(30_000);
      socket.setTcpNoDelay(true);
      in = new BufferedInputStream(socket.getInputStream());
    }

    void send(String bytes) throws IOException {
      socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
    }

    /** Reads the next response and returns its status. */
    int status() throws IOException {
      String first = line();
      assertThat(first).startsWith("HTTP/1.");
      int length = 0;
      for (String line = line(); !line.isEmpty(); line = line()) {
        if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
          length = Integer.parseInt(line.substring(15).strip());
        }
        assertThat(line).doesNotContainIgnoringCase("transfer-encoding");
      }
      in.skipNBytes(length);
      return Integer.parseInt(first.substring(9, 12));
    }

    private String line() throws IOException {
      StringBuilder line = new StringBuilder();
      for (int next = in.read(); next != '\n'; next = in.read()) {
        assertThat(next).as("the end after '%s'", line).isNotEqualTo(-1);
        line.append((char) next);
      }
      return line.toString().strip();
    }

    boolean isAtEnd() throws IOException {
      return in.read() < 0;
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
