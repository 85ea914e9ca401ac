package io.weir.server.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rig.Await;
import io.weir.server.http.RawHttp2;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connection limits and timeouts. */
@Tag("slow")
class ConnectionLimiterTest extends ConnectionFixture {
  /** How long the checks of all event loops take, which are twice a second. */
  private static final long ROUND_MILLIS = 600;

  private final ManualTime clock = TimeSource.manual();

  @Test
  void closesSilentConnection() throws IOException {
    connectionLimiter = new ConnectionLimiter(1000, SHORT, clock);
    Socket silent = connect(listen());
    Await.holds("it is connected", () -> connectionLimiter.inside() == 1);
    Await.holds("no connection is open", () -> isInsideLater(0));
    assertThat(silent.getInputStream().read()).isEqualTo(-1);
  }

  /** Whether so many are connected some time later. */
  private boolean isInsideLater(int number) {
    clock.advance(Duration.ofMillis(100));
    return connectionLimiter.inside() == number;
  }

  @Test
  void closesConnectionThatSendsItsHeadTooSlowly() throws IOException {
    Socket slowly = connect(listen());
    write(slowly, "GET / HTTP/1.1\r\nX: ");
    assertThat(trickle(slowly, "x")).startsWith("HTTP/1.1 408 ").matches("(?s).*(end|gone)");
  }

  @Test
  void closesConnectionThatSendsALaterHeadTooSlowly() throws IOException {
    Socket slowly = connect(listen());
    write(slowly, GET);
    assertThat(read(slowly, "hi")).startsWith("HTTP/1.1 200 ");
    write(slowly, "GET / HTTP/1.1\r\nX: ");
    assertThat(trickle(slowly, "x")).isIn("end", "gone");
  }

  @ParameterizedTest
  @ValueSource(strings = {"P", "PRI * HT", "PRI * HTTP/2.0\r\n\r\nSM\r\n"})
  void closesConnectionThatSendsItsHttp2PrefaceTooSlowly(String beginning) throws IOException {
    Socket slowly = connect(listen());
    write(slowly, beginning);
    assertThat(slowly.getInputStream().read()).isEqualTo(-1);
  }

  @Test
  void closesConnectionWithAnUnfinishedFirstFrame() throws IOException {
    Socket slowly = connect(listen());
    write(slowly, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    slowly.getInputStream().readAllBytes();
  }

  @Test
  void closesConnectionWithHttp2HeadersThatDoNotEnd() throws IOException {
    try (RawHttp2 client = new RawHttp2(listen())) {
      client.send(RawHttp2.HEADERS, RawHttp2.END_STREAM, 1, RawHttp2.block(":method", "GET"));
      assertThat(client.outcome(1)).isIn("goaway", "closed");
    }
  }

  @Test
  void closesConnectionWithAnUnfinishedFrame() throws IOException {
    int port = listen();
    try (Socket socket = connect(port)) {
      RawHttp2 client = new RawHttp2(socket);
      assertThat(client.outcome(client.get("/"))).isEqualTo("200");
      socket.getOutputStream().write(new byte[] {0, 0, 100, 1, 4, 0});
      assertThat(client.outcome(99)).isIn("goaway", "closed");
    }
  }

  @Test
  void acceptsHeadsInPieces() throws IOException {
    connectionLimiter = new ConnectionLimiter(1000, ConnectionLimiter.Timeouts.USUAL);
    Socket client = connect(listen());
    for (int i = 0; i < 5; i++) {
      for (int at = 0; at < GET.length(); at++) {
        write(client, GET.substring(at, at + 1));
      }
      assertThat(read(client, "hi")).startsWith("HTTP/1.1 200 ");
    }
    String post = "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n";
    write(client, post + "hello" + post + "he");
    assertThat(read(client, "hello")).startsWith("HTTP/1.1 200 ");
    write(client, "l");
    write(client, "lo" + GET);
    assertThat(read(client, "hi")).startsWith("HTTP/1.1 200 ").contains("hello");
  }

  @Test
  void headTimeoutExemptsPendingResponsesAndBodies() throws Exception {
    Duration timeout = Duration.ofSeconds(30);
    connectionLimiter =
        new ConnectionLimiter(
            1000, new ConnectionLimiter.Timeouts(timeout, timeout, Duration.ofMinutes(2)), clock);
    int port = listen();
    Socket waiting = connect(port);
    write(waiting, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
    Socket sending = connect(port);
    write(sending, "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na");
    Socket idle = connect(port);
    write(idle, GET);
    read(idle, "hi");
    Socket blank = connect(port);
    write(blank, "POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na");
    Socket ahead = connect(port);
    write(ahead, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
    Await.holds("all are served", () -> slow.size() == 3);
    write(blank, "\r\n");
    write(ahead, GET.substring(0, 20));
    Socket second = connect(port);
    write(second, GET + "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na");
    try (RawHttp2 streams = new RawHttp2(port)) {
      int open = streams.open(false, ":method", "POST", ":scheme", "http", ":path", "/body");
      streams.data(open, false, "a");
      Socket silent = connect(port);
      Await.holds("the last one is connected", () -> connectionLimiter.inside() == 8);
      Thread.sleep(ROUND_MILLIS); // all that was sent is read
      clock.advance(timeout.plusMillis(1));
      assertThat(silent.getInputStream().read()).as("its time is over").isEqualTo(-1);
      Thread.sleep(ROUND_MILLIS); // for the other event loop

      slow.forEach(ConnectionLimiterTest::respond);
      assertThat(read(waiting, "at last")).startsWith("HTTP/1.1 200 ");
      assertThat(read(ahead, "at last")).startsWith("HTTP/1.1 200 ");
      write(ahead, GET.substring(20));
      assertThat(read(ahead, "hi")).startsWith("HTTP/1.1 200 ");
      assertThat(read(blank, "at last")).startsWith("HTTP/1.1 200 ");
      write(blank, GET);
      assertThat(read(blank, "hi")).startsWith("HTTP/1.1 200 ");
      write(sending, "b");
      assertThat(read(sending, "ab")).startsWith("HTTP/1.1 200 ");
      write(second, "b");
      assertThat(read(second, "ab")).startsWith("HTTP/1.1 200 ");
      write(idle, GET);
      assertThat(read(idle, "hi")).startsWith("HTTP/1.1 200 ");
      streams.data(open, true, "b");
      assertThat(streams.outcome(open)).isEqualTo("200");
    }
  }

  @Test
  void headTimeoutOfPipelinedRequestStartsAfterTheResponse() throws Exception {
    Socket ahead = connect(listen());
    write(ahead, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
    Await.holds("it is served", () -> slow.size() == 1);
    write(ahead, "GET / HTTP/1.1\r\nX: ");
    respond(slow.get(0));
    assertThat(read(ahead, "at last")).startsWith("HTTP/1.1 200 ");
    assertThat(trickle(ahead, "x")).isIn("end", "gone");
  }

  /** Requests a large response and does not read it. */
  private Socket deaf(int port) throws IOException {
    Socket deaf = connect(port);
    write(deaf, "GET /much HTTP/1.1\r\nHost: a\r\n\r\n");
    deaf.getInputStream().read();
    return deaf;
  }

  @Test
  void idleTimeoutClosesConnectionThatDoesNotRead() throws Exception {
    Socket deaf = deaf(listen());
    write(deaf, "GET / HTTP/1.1\r\nX: ");
    Await.holds(
        "no connection is open",
        () -> {
          try {
            deaf.getOutputStream().write('x');
          } catch (IOException cut) {
            // as it should be
          }
          return connectionLimiter.inside() == 0;
        });
  }

  @Test
  void closesConnectionThatDoesNotReadForNewOne() throws Exception {
    connectionLimiter = new ConnectionLimiter(2, ConnectionLimiter.Timeouts.USUAL);
    int port = listen();
    deaf(port);
    deaf(port);
    Socket next = connect(port);
    write(next, GET);
    assertThat(read(next, "hi")).startsWith("HTTP/1.1 200 ");
    Await.holds("one has left", () -> connectionLimiter.inside() == 2);
  }

  @Test
  void idleTimeoutClosesConnection() throws Exception {
    Duration timeout = Duration.ofMinutes(2);
    connectionLimiter = new ConnectionLimiter(1000, SHORT.withIdle(timeout), clock);
    int port = listen();
    Socket idle = connect(port);
    write(idle, GET);
    read(idle, "hi");
    deaf(port);
    Socket busy = connect(port);
    write(busy, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
    try (RawHttp2 streams = new RawHttp2(port);
        RawHttp2 busyStreams = new RawHttp2(port)) {
      assertThat(streams.outcome(streams.get("/"))).isEqualTo("200");
      int open = busyStreams.get("/slow");
      Await.holds("two are served", () -> slow.size() == 2);
      Thread.sleep(ROUND_MILLIS); // all that was sent is read
      clock.advance(timeout.plusMillis(1));
      assertThat(idle.getInputStream().read()).isEqualTo(-1);
      assertThat(streams.outcome(99)).isIn("goaway", "closed");
      Await.holds("the busy ones are connected", () -> isInsideLater(2));
      slow.forEach(ConnectionLimiterTest::respond);
      assertThat(read(busy, "at last")).startsWith("HTTP/1.1 200 ");
      assertThat(busyStreams.outcome(open)).isEqualTo("200");
      assertThat(connectionLimiter.inside()).isEqualTo(2);
      clock.advance(timeout);
      Await.holds("no connection is open", () -> isInsideLater(0));
    }
  }

  /** The idle timeout restarts with a response, however long the client was silent before. */
  @Test
  void idleTimeoutBeginsWithLastHttp2Response() throws Exception {
    long idle = 2000;
    connectionLimiter = new ConnectionLimiter(1000, SHORT.withIdle(Duration.ofMillis(idle)));
    try (RawHttp2 client = new RawHttp2(listen())) {
      int open = client.get("/slow");
      Await.holds("it is there", () -> slow.size() == 1);
      Thread.sleep(idle * 7 / 4); // the idle timeout expired once, and nearly has again
      long answered = System.nanoTime(); // or later
      slow.forEach(ConnectionLimiterTest::respond);
      assertThat(client.outcome(open)).isEqualTo("200");
      Await.holds("it has to leave", () -> connectionLimiter.inside() == 0);
      assertThat(System.nanoTime() - answered).isGreaterThan(Duration.ofMillis(idle).toNanos());
    }
  }

  /** If a connection was refused just now, closing it at once could lose the reason. */
  @Test
  void closesRecentlyRefusedConnectionLast() throws Exception {
    int max = 8;
    connectionLimiter = new ConnectionLimiter(max, ConnectionLimiter.Timeouts.USUAL);
    int port = listen();
    int[] staysInARow = {0};
    Await.holds(
        "it stays, but where this is very slow",
        () -> {
          staysInARow[0] = staysAmongIdlers(port, max) ? staysInARow[0] + 1 : 0;
          return staysInARow[0] == 12;
        });
  }

  /** Whether a refused connection stays open when another one can be closed for the next. */
  private boolean staysAmongIdlers(int port, int others) throws IOException, InterruptedException {
    for (int i = 0; i < others; i++) {
      Socket idle = connect(port);
      write(idle, GET);
      read(idle, "hi");
    }
    Socket refused = connect(port);
    write(refused, "GET / HTTP/1.1\r\n\r\n");
    assertThat(read(refused, "\r\n\r\n")).startsWith("HTTP/1.1 400 ");
    Socket next = connect(port);
    write(next, GET);
    read(next, "hi");
    try {
      for (int i = 0; i < 3; i++) {
        Thread.sleep(10);
        refused.getOutputStream().write('x'); // fails if the connection was closed
      }
      return true;
    } catch (SocketException cutOff) {
      return false;
    }
  }

  @Test
  void closesIdleConnectionForNewOne() throws Exception {
    connectionLimiter = new ConnectionLimiter(4, ConnectionLimiter.Timeouts.USUAL);
    int port = listen();
    Socket busy = connect(port);
    write(busy, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
    try (RawHttp2 streams = new RawHttp2(port)) {
      int open = streams.get("/slow");
      Await.holds("two are served", () -> slow.size() == 2);
      Socket idle = connect(port);
      write(idle, GET);
      read(idle, "hi");
      Await.holds("three are inside", () -> connectionLimiter.inside() == 3);
      for (int i = 0; i < 50; i++) {
        Socket next = connect(port);
        write(next, GET);
        assertThat(read(next, "hi")).startsWith("HTTP/1.1 200 ");
      }
      assertThat(idle.getInputStream().read()).as("closed by the server").isEqualTo(-1);
      slow.forEach(ConnectionLimiterTest::respond);
      assertThat(read(busy, "at last")).startsWith("HTTP/1.1 200 ");
      assertThat(streams.outcome(open)).isEqualTo("200");
    }
  }

  @Test
  void loweringTheLimitClosesIdleConnectionsAndKeepsBusyOnes() throws Exception {
    connectionLimiter = new ConnectionLimiter(100, ConnectionLimiter.Timeouts.USUAL);
    int port = listen();
    Socket busy = connect(port);
    write(busy, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
    Await.holds("it is served", () -> slow.size() == 1);
    for (int i = 0; i < 9; i++) {
      Socket idle = connect(port);
      write(idle, GET);
      read(idle, "hi");
    }
    assertThat(connectionLimiter.inside()).isEqualTo(10);

    connectionLimiter.resize(2, 25);
    Await.holds("idle connections are closed", () -> connectionLimiter.inside() <= 2);
    slow.forEach(ConnectionLimiterTest::respond);
    assertThat(read(busy, "at last")).startsWith("HTTP/1.1 200 ");

    connectionLimiter.resize(100, 25);
    for (int i = 0; i < 9; i++) {
      Socket idle = connect(port);
      write(idle, GET);
      read(idle, "hi");
    }
    assertThat(connectionLimiter.inside()).isGreaterThan(9);
  }

  @Test
  void refusesConnectionIfAllAreBusy() throws Exception {
    connectionLimiter = new ConnectionLimiter(3, ConnectionLimiter.Timeouts.USUAL);
    int port = listen();
    List<Socket> busy = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      busy.add(connect(port));
      write(busy.get(i), "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    Await.holds("all are served", () -> slow.size() == 3);
    for (int i = 0; i < 10; i++) {
      Socket next = connect(port);
      assertThat(ends(next)).isTrue();
    }
    slow.forEach(ConnectionLimiterTest::respond);
    for (Socket each : busy) {
      assertThat(read(each, "at last")).startsWith("HTTP/1.1 200 ");
    }
    Socket next = connect(port);
    write(next, GET);
    assertThat(read(next, "hi")).startsWith("HTTP/1.1 200 ");
  }

  private static boolean ends(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() == -1;
    } catch (SocketException reset) {
      return true;
    }
  }

  @Test
  void ignoresUpgradeToHttp2() throws IOException {
    Socket client = connect(listen());
    write(
        client,
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
            + "HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n");
    assertThat(read(client, "hi")).startsWith("HTTP/1.1 200 ");
  }
}
