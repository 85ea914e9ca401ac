package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rig.Await;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
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

  private static final String AGREES =
      "HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";

  private static final int PART = 64 * 1024;
  private static final int PARTS = 2000;

  private final ManualTime clock = TimeSource.manual();
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
                      from ->
                          Tunnel.open(
                              request, from, IDLE, clock, () -> closed.complete(null), null));
              Tunnel.sendUpgrade(to);
            });
  }

  private static String readHead(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      assertThat(next).as("the end after %s", head).isNotEqualTo(-1);
      head.append((char) next);
    }
    return head.toString();
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
        clock.advance(IDLE);
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
        for (int i = 0; i < 600 && !closed.isDone(); i++) {
          clock.advance(Duration.ofMillis(500));
          try {
            client.getOutputStream().write('x');
          } catch (SocketException gone) {
            break;
          }
          Thread.sleep(50);
        }
        assertThat(closed).as("while the client still writes").isDone();
        pushing.join(30_000);
        assertThat(pushing.isAlive()).isFalse();
      }
    }
  }

  /** Its connection is needed for another WebSocket. */
  @Test
  void closesStalledTunnelForAnotherRequest() throws Exception {
    try (ServerSocket listening = new ServerSocket(0)) {
      Thread serving = new Thread(() -> pushToAll(listening), "server");
      serving.setDaemon(true);
      serving.start();
      try (GatewayFixture gatewayFixture =
              new GatewayFixture.Builder(ProtocolCombinations.UNLIMITED)
                  .upstream(URI.create("http://127.0.0.1:" + listening.getLocalPort()))
                  .settings(to -> to.forwarding().connections(1))
                  .clock(clock)
                  .build();
          Socket stalled = gatewayFixture.connect()) {
        assertThat(upgrade(stalled)).startsWith("HTTP/1.1 101 ");
        Await.holds(
            "the stalled one gives way",
            () -> {
              clock.advance(Duration.ofSeconds(1));
              try (Socket other = gatewayFixture.connect()) {
                return upgrade(other).startsWith("HTTP/1.1 101 ");
              }
            });
        assertThat(isCut(stalled)).isTrue();
      }
    }
  }

  private static String upgrade(Socket client) throws Exception {
    String upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
    client.getOutputStream().write(("GET / HTTP/1.1\r\nHost: a\r\n" + upgrade).getBytes(US_ASCII));
    return readHead(client.getInputStream());
  }

  /** Whether less arrives than was sent. */
  private static boolean isCut(Socket client) {
    try {
      return client.getInputStream().readAllBytes().length < PARTS * PART;
    } catch (IOException reset) {
      return true;
    }
  }

  private static void pushToAll(ServerSocket listening) {
    while (!listening.isClosed()) {
      try {
        Socket server = listening.accept();
        readHead(server.getInputStream());
        server.getOutputStream().write(AGREES.getBytes(US_ASCII));
        Thread pushing = new Thread(() -> push(server), "pushing");
        pushing.setDaemon(true);
        pushing.start();
      } catch (IOException closed) {
        return;
      }
    }
  }

  /** More than sockets hold, until the other end is gone. */
  private static void push(Socket server) {
    try {
      byte[] much = new byte[PART];
      for (int i = 0; i < PARTS; i++) {
        server.getOutputStream().write(much);
      }
    } catch (IOException gone) {
      // which is what is waited for
    }
  }

  /** For longer than it may be silent, and long enough for checks. */
  private void talk(Socket from, Socket to) throws Exception {
    for (int i = 0; i < 10; i++) {
      clock.advance(IDLE.dividedBy(2));
      try {
        from.getOutputStream().write('x');
      } catch (SocketException gone) {
        throw new AssertionError("closed although bytes were flowing", gone);
      }
      assertThat(to.getInputStream().read()).isEqualTo('x');
      Thread.sleep(100);
    }
  }
}
