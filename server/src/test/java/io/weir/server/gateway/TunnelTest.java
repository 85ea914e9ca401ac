package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The idle timeout of WebSockets. */
@Tag("slow")
class TunnelTest {
  private static final Duration IDLE = Duration.ofSeconds(4);

  private final Vertx vertx = Vertx.vertx();
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  @AfterEach
  void close() {
    GatewayFixture.await(vertx.close());
  }

  private int before(ServerSocket server) {
    HttpClient client = vertx.createHttpClient();
    return GatewayFixture.listen(vertx, request -> open(client, server.getLocalPort(), request))
        .actualPort();
  }

  private void open(HttpClient client, int port, HttpServerRequest request) {
    request.pause();
    client
        .request(HttpMethod.GET, port, "127.0.0.1", "/")
        .onSuccess(
            to -> {
              to.response()
                  .onSuccess(
                      from -> Tunnel.open(request, from, IDLE, () -> closed.complete(null), null));
              Tunnel.ask(to);
            });
  }

  private static void readHead(InputStream in) throws Exception {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      assertThat(next).as("the end after %s", head).isNotEqualTo(-1);
      head.append((char) next);
    }
  }

  /** Bytes in either direction keep it open; otherwise both sides are closed. */
  @Test
  void closesIdleTunnel() throws Exception {
    try (ServerSocket listening = new ServerSocket(0);
        Socket client = new Socket("127.0.0.1", before(listening))) {
      client.setSoTimeout(30_000);
      String upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
      client
          .getOutputStream()
          .write(("GET / HTTP/1.1\r\nHost: a\r\n" + upgrade).getBytes(US_ASCII));
      try (Socket server = listening.accept()) {
        server.setSoTimeout(30_000);
        readHead(server.getInputStream());
        server.getOutputStream().write(("HTTP/1.1 101 Yes\r\n" + upgrade).getBytes(US_ASCII));
        readHead(client.getInputStream());
        talk(client, server);
        talk(server, client);
        assertThat(closed).isNotDone();
        closed.get(30, TimeUnit.SECONDS);
        assertThat(server.getInputStream().read()).isEqualTo(-1);
        assertThat(client.getInputStream().read()).isEqualTo(-1);
      }
    }
  }

  /** A byte in the other direction does not keep it: its connection to the server is in use. */
  @Test
  void endsIfOneSideReadsNothing() throws Exception {
    try (ServerSocket listening = new ServerSocket(0);
        Socket client = new Socket("127.0.0.1", before(listening))) {
      String upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
      client
          .getOutputStream()
          .write(("GET / HTTP/1.1\r\nHost: a\r\n" + upgrade).getBytes(US_ASCII));
      try (Socket server = listening.accept()) {
        readHead(server.getInputStream());
        server.getOutputStream().write(("HTTP/1.1 101 Yes\r\n" + upgrade).getBytes(US_ASCII));
        readHead(client.getInputStream());
        Thread pushing = new Thread(() -> push(server));
        pushing.start();
        for (int i = 0; i < 60 && !closed.isDone(); i++) {
          try {
            client.getOutputStream().write('x');
          } catch (SocketException gone) {
            break;
          }
          Thread.sleep(500);
        }
        assertThat(closed).as("while the client still writes").isDone();
        pushing.join(30_000);
        assertThat(pushing.isAlive()).isFalse();
      }
    }
  }

  /** More than sockets hold, until the other end is gone. */
  private static void push(Socket server) {
    try {
      byte[] much = new byte[64 * 1024];
      for (int i = 0; i < 2000; i++) {
        server.getOutputStream().write(much);
      }
    } catch (java.io.IOException gone) {
      // which is what is waited for
    }
  }

  /** For longer than it may be silent. */
  private static void talk(Socket from, Socket to) throws Exception {
    long start = System.nanoTime();
    while (System.nanoTime() - start < IDLE.plusMillis(500).toNanos()) {
      try {
        from.getOutputStream().write('x');
      } catch (SocketException gone) {
        throw new AssertionError("cut off while somebody speaks", gone);
      }
      assertThat(to.getInputStream().read()).isEqualTo('x');
      Thread.sleep(100);
    }
  }
}
