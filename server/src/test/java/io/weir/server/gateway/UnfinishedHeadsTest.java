package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.weir.server.connection.ConnectionLimiter;
import io.weir.server.connection.LimitingTransport;
import io.weir.server.connection.ServerLimits;
import io.weir.server.http.Listener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Many connections with incomplete requests, or without any input; honest clients are still served.
 */
@Tag("slow")
class UnfinishedHeadsTest {
  private static final byte[] BEGINNING = "GET / HTTP/1.1\r\nHost: a\r\nX: ".getBytes(US_ASCII);
  private static final byte[] GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII);

  /** Much longer than honest clients wait where only the machine is busy. */
  private static final int MAX_MILLIS = 3000;

  private static final String OK = "HTTP/1.1 200 OK";
  private static final int ASKED = 30;

  /** A full port may close any connection with an incomplete head, also an honest one. */
  private static final int FEWEST_SERVED = ASKED - 3;

  private final Vertx vertx =
      LimitingTransport.vertx(new VertxOptions().setPreferNativeTransport(true));
  private final CountDownLatch hasCome = new CountDownLatch(1);
  private volatile boolean isOver;

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private int listen(int maxConnections) {
    return GatewayFixture.await(
            Listener.open(
                vertx,
                ServerLimits.PUBLIC.at("127.0.0.1", 0),
                Optional.empty(),
                new ConnectionLimiter(maxConnections, ConnectionLimiter.Timeouts.USUAL),
                2,
                request -> request.response().end("hi")))
        .port();
  }

  /**
   * The last case is a process with 256 files; the first honest client shares the crowd's address.
   */
  @ParameterizedTest
  @CsvSource({
    // connections, those of the crowd, its addresses, the honest client's, what the crowd sends
    "500, 1500, 1, 2, GET",
    "500, 1500, 1, 1, GET",
    "500, 1500, 50, 1, GET",
    "85, 150, 1, 1, GET",
    "85, 150, 50, 1, GET",
    "500, 1500, 1, 2, nothing",
    "500, 1500, 50, 1, nothing",
    "85, 150, 1, 1, nothing"
  })
  void servesHonestClients(int maxConnections, int crowd, int addresses, int honest, String sent)
      throws Exception {
    int port = listen(maxConnections);
    byte[] beginning = sent.equals("nothing") ? new byte[0] : BEGINNING;
    Thread attack = new Thread(() -> attack(port, crowd, addresses, beginning), "crowd");
    attack.start();
    try {
      assertThat(hasCome.await(2, TimeUnit.MINUTES)).isTrue();
      List<String> responses = new ArrayList<>();
      for (int i = 0; i < ASKED; i++) {
        responses.add(send(port, honest));
        Thread.sleep(20);
      }
      assertThat(responses).filteredOn(OK::equals).hasSizeGreaterThanOrEqualTo(FEWEST_SERVED);
    } finally {
      isOver = true;
      attack.join();
    }
  }

  private static String send(int port, int address) {
    try (Socket honest = new Socket()) {
      honest.bind(new InetSocketAddress("127.0.0." + address, 0));
      honest.setSoTimeout(MAX_MILLIS);
      honest.connect(new InetSocketAddress("127.0.0.1", port), MAX_MILLIS);
      honest.getOutputStream().write(GET);
      return new String(honest.getInputStream().readNBytes(15), US_ASCII);
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Reopens its closed connections, at most 250 a second. */
  private void attack(int port, int crowd, int addresses, byte[] beginning) {
    SocketChannel[] channels = new SocketChannel[crowd];
    ByteBuffer response = ByteBuffer.allocate(1000);
    while (!isOver) {
      for (int i = 0; i < crowd && !isOver; i++) {
        try {
          if (channels[i] == null) {
            Thread.sleep(hasCome.getCount() == 0 ? 4 : 0);
            channels[i] = connect(port, 2 + i % addresses, beginning);
          }
          response.clear();
          if (channels[i].read(response) < 0) {
            throw new IOException("closed");
          }
        } catch (IOException | InterruptedException closed) {
          close(channels[i]);
          channels[i] = null;
        }
      }
      hasCome.countDown();
    }
    for (SocketChannel channel : channels) {
      close(channel);
    }
  }

  private static SocketChannel connect(int port, int address, byte[] beginning) throws IOException {
    SocketChannel channel = SocketChannel.open();
    channel.bind(new InetSocketAddress("127.0.0." + address, 0));
    channel.socket().connect(new InetSocketAddress("127.0.0.1", port), 1000);
    channel.write(ByteBuffer.wrap(beginning));
    channel.configureBlocking(false);
    return channel;
  }

  private static void close(SocketChannel channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException gone) {
      // all the same
    }
  }
}
