package io.weir.server.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.TimeSource;
import io.weir.rig.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The limit of unfinished heads per address: here a tenth of a hundred connections. */
class UnfinishedHeadsCapTest extends ConnectionFixture {
  private static final int CAP = 10;
  private static final int MANY = 30;

  private List<Socket> beginMany(boolean isProxy) throws IOException {
    return beginMany(isProxy, "GET / HTTP/1.1\r\nX: ");
  }

  private List<Socket> beginMany(boolean isProxy, String beginning) throws IOException {
    connectionLimiter =
        new ConnectionLimiter(
            10 * CAP,
            ConnectionLimiter.Timeouts.USUAL,
            10,
            any -> isProxy,
            any -> false,
            TimeSource.system());
    int port = listen();
    List<Socket> begun = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      Socket socket = connect(port);
      write(socket, beginning);
      int connected = i + 1;
      Await.holds(
          "it is seen",
          () -> connectionLimiter.inside() == (isProxy ? connected : count(connected)));
      begun.add(socket);
    }
    return begun;
  }

  /** Each of two event loops closes its own, and keeps one at least. */
  private int count(int connected) {
    int inside = connectionLimiter.inside();
    return connected <= CAP ? connected : Math.min(Math.max(inside, CAP), CAP + 1);
  }

  @Test
  void closesOldestUnfinishedHeadsAndServesNewest() throws IOException {
    List<Socket> begun = beginMany(false);
    assertThat(begun.get(0).getInputStream().readAllBytes()).asString().startsWith("HTTP/1.1 408 ");
    Socket newest = begun.get(MANY - 1);
    write(newest, "x\r\nHost: a\r\n\r\n");
    assertThat(read(newest, "hi")).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void closesOldestSilentConnectionsAndServesNewest() throws IOException {
    List<Socket> silent = beginMany(false, "");
    assertThat(silent.get(0).getInputStream().readAllBytes()).isEmpty();
    Socket newest = silent.get(MANY - 1);
    write(newest, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    assertThat(read(newest, "hi")).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void connectionsOfProxiesAreNotCounted() throws IOException {
    for (Socket socket : beginMany(true)) {
      write(socket, "x\r\nHost: a\r\n\r\n");
      assertThat(read(socket, "hi")).startsWith("HTTP/1.1 200 ");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.1, 192.0.2.1, true",
    "192.0.2.1, 192.0.2.2, false",
    "2001:db8::1, 2001:db8::ffff:1, true",
    "2001:db8::1, 2001:db8:0:1::1, false",
    "::ffff:192.0.2.1, 192.0.2.1, true",
    "::1, 0.0.0.0, false",
  })
  void addressesAreCountedAsOne(String one, String other, boolean expected) {
    assertThat(counted(one).equals(counted(other))).isEqualTo(expected);
  }

  private Object counted(String address) {
    SocketAddress client = new InetSocketAddress(address, 1);
    return Objects.requireNonNull(connectionLimiter.countedAddress(client));
  }
}
