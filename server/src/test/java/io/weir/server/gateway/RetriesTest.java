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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A server that closes a connection just when the next request comes over it: a request that may be
 * sent twice is, any other is not.
 */
class RetriesTest {
  private static final String MANY = "rules: [ { name: many, limit: 100000 per second } ]";

  /** Answers the first request of each connection, and hangs up over the second. */
  private static final class Unreliable implements AutoCloseable {
    final List<String> asked = new CopyOnWriteArrayList<>();
    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final boolean answersFirst;

    Unreliable(boolean answersFirst) throws IOException {
      this.answersFirst = answersFirst;
      Thread thread = new Thread(this::serve);
      thread.setDaemon(true);
      thread.start();
    }

    private void serve() {
      while (true) {
        try (Socket client = socket.accept()) {
          client.setSoTimeout(30_000);
          String first = head(client.getInputStream());
          asked.add(first);
          if (answersFirst) {
            client
                .getOutputStream()
                .write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(US_ASCII));
            String second = head(client.getInputStream());
            if (!second.isEmpty()) {
              asked.add(second);
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
    "GET, '', 200",
    "HEAD, '', 200",
    "DELETE, '', 200",
    "PUT, 'Content-Length: 0', 200",
    "POST, '', 502",
    "PATCH, '', 502",
    "POST, 'Content-Length: 0', 502",
  })
  void whatMayBeDoneTwiceIsSentAgain(String method, String line, int status) throws IOException {
    try (Unreliable server = new Unreliable(true);
        Stage stage = new Stage.Builder(MANY).upstream(server.url()).build()) {
      assertThat(stage.ask("GET /1")).startsWith("HTTP/1.1 200 ");
      String answer = line.isEmpty() ? stage.ask(method + " /2") : stage.ask(method + " /2", line);
      assertThat(answer).startsWith("HTTP/1.1 " + status + " ");
      assertThat(server.asked)
          .startsWith("GET /1 HTTP/1.1", method + " /2 HTTP/1.1")
          .hasSize(status == 200 ? 3 : 2);
    }
  }

  /** On a connection of its own the server has had the request: it may have done something. */
  @Test
  void whatFailsOnAFreshConnectionIsNotSentAgain() throws IOException {
    try (Unreliable server = new Unreliable(false);
        Stage stage = new Stage.Builder(MANY).upstream(server.url()).build()) {
      assertThat(stage.ask("GET /1")).startsWith("HTTP/1.1 502 ").contains("hung up");
      assertThat(server.asked).containsExactly("GET /1 HTTP/1.1");
    }
  }
}
