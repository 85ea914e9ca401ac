package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A server that closes a connection just when the next request is sent over it: only idempotent
 * requests are retried.
 */
class RetriesTest {
  private static final String MANY = "rules: [ { name: many, limit: 100000 per second } ]";

  /** Responds to the first request of each connection, and closes it at the second. */
  private static final class Unreliable implements AutoCloseable {
    final List<String> received = new CopyOnWriteArrayList<>();
    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final boolean answersFirst;
    private final boolean resets;

    Unreliable(boolean answersFirst, boolean resets) throws IOException {
      this.answersFirst = answersFirst;
      this.resets = resets;
      Thread thread = new Thread(this::serve);
      thread.setDaemon(true);
      thread.start();
    }

    private void serve() {
      while (true) {
        try (Socket client = socket.accept()) {
          client.setSoTimeout(30_000);
          if (resets) {
            client.setSoLinger(true, 0);
          }
          String first = head(client.getInputStream());
          received.add(first);
          if (answersFirst) {
            client
                .getOutputStream()
                .write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(US_ASCII));
            String second = head(client.getInputStream());
            if (!second.isEmpty()) {
              received.add(second);
            }
          }
        } catch (IOException e) {
          if (socket.isClosed()) {
            return;
          }
        }
      }
    }

    private static String head(InputStream in) throws IOException {
      StringBuilder head = new StringBuilder();
      while (head.indexOf("\r\n\r\n") < 0) {
        int next = in.read();
        if (next < 0) {
          return "";
        }
        head.append((char) next);
      }
      return head.substring(0, head.indexOf("\r\n"));
    }

    URI url() {
      return URI.create("http://127.0.0.1:" + socket.getLocalPort());
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "false, GET, '', 200",
    "false, HEAD, '', 200",
    "false, DELETE, '', 200",
    "false, PUT, 'Content-Length: 0', 200",
    "false, POST, '', 502",
    "false, PATCH, '', 502",
    "false, POST, 'Content-Length: 0', 502",
    "true, GET, '', 200",
    "true, HEAD, '', 200",
    "true, DELETE, '', 200",
    "true, PUT, 'Content-Length: 0', 200",
    "true, POST, '', 502",
    "true, PATCH, '', 502",
    "true, POST, 'Content-Length: 0', 502",
  })
  void retriesIdempotentRequests(boolean resets, String method, String line, int status)
      throws IOException {
    try (Unreliable server = new Unreliable(true, resets);
        GatewayFixture gatewayFixture =
            new GatewayFixture.Builder(MANY).upstream(server.url()).build()) {
      assertThat(gatewayFixture.send("GET /1")).startsWith("HTTP/1.1 200 ");
      String response =
          line.isEmpty()
              ? gatewayFixture.send(method + " /2")
              : gatewayFixture.send(method + " /2", line);
      assertThat(response).startsWith("HTTP/1.1 " + status + " ");
      assertThat(server.received)
          .startsWith("GET /1 HTTP/1.1", method + " /2 HTTP/1.1")
          .hasSize(status == 200 ? 3 : 2);
    }
  }

  /** On a new connection the server has received the request and may have processed it. */
  @Test
  void doesNotRetryOnANewConnection() throws IOException {
    try (Unreliable server = new Unreliable(false, false);
        GatewayFixture gatewayFixture =
            new GatewayFixture.Builder(MANY).upstream(server.url()).build()) {
      assertThat(gatewayFixture.send("GET /1"))
          .startsWith("HTTP/1.1 502 ")
          .contains("closed the connection");
      assertThat(server.received).containsExactly("GET /1 HTTP/1.1");
    }
  }

  /** An HTTP/2 server can report that it did not process a request: any request may be retried. */
  @ParameterizedTest
  @CsvSource({"GET, 7, 200, 2", "POST, 7, 200, 2", "GET, 2, 502, 1", "POST, 2, 502, 1"})
  void retriesRequestsThatTheServerDidNotProcess(String method, int code, int status, int times)
      throws IOException {
    AtomicInteger received = new AtomicInteger();
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .server(
                "h2c",
                request -> {
                  if (received.incrementAndGet() == 1) {
                    request.response().reset(code);
                  } else {
                    request.response().end();
                  }
                })
            .build()) {
      assertThat(gatewayFixture.send(method + " /")).startsWith("HTTP/1.1 " + status + " ");
      assertThat(received).hasValue(times);
    }
  }
}
