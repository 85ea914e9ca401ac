package io.weir.server.connection;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.http.HttpServerRequestInternal;
import io.weir.server.http.Listener;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;

/** A port with a connection limiter, and its clients. */
abstract class ConnectionFixture {
  static final ConnectionLimiter.Timeouts SHORT =
      new ConnectionLimiter.Timeouts(
          Duration.ofSeconds(3), Duration.ofMillis(500), Duration.ofMinutes(2));
  static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

  static final int MUCH =
      32 * 1024 * 1024; // more than the kernel buffers for a client that does not read

  private final Vertx vertx =
      LimitingTransport.vertx(new VertxOptions().setPreferNativeTransport(true));
  final List<HttpServerRequest> slow = new CopyOnWriteArrayList<>();
  private final List<Socket> sockets = new ArrayList<>();
  ConnectionLimiter connectionLimiter = new ConnectionLimiter(1000, SHORT);

  @AfterEach
  void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    await(vertx.close());
  }

  int listen() {
    Future<Listener> listener =
        Listener.open(
            vertx,
            ServerLimits.PUBLIC.at("127.0.0.1", 0),
            Optional.empty(),
            connectionLimiter,
            2,
            request -> {
              if (request.path().endsWith("/wanted")) {
                request.response().writeContinue();
              }
              if (request.path().equals("/slow")) {
                slow.add(request);
              } else if (request.path().equals("/much")) {
                request.response().end(Buffer.buffer(new byte[MUCH]));
              } else if (request.path().startsWith("/body")) {
                request.body().onSuccess(body -> request.response().end(body));
              } else {
                request.response().end("hi");
              }
            });
    return await(listener).port();
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }

  Socket connect(int port) throws IOException {
    Socket socket = new Socket("127.0.0.1", port);
    socket.setSoTimeout(30_000);
    socket.setTcpNoDelay(true);
    sockets.add(socket);
    return socket;
  }

  static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(US_ASCII));
  }

  static String read(Socket socket, String until) throws IOException {
    StringBuilder text = new StringBuilder();
    InputStream in = socket.getInputStream();
    while (text.indexOf(until) < 0) {
      int next = in.read();
      assertThat(next).as("the end after %s", text).isNotEqualTo(-1);
      text.append((char) next);
    }
    return text.toString();
  }

  /** Writes a byte now and then; returns everything received until the connection ends. */
  static String trickle(Socket socket, String text) throws IOException {
    StringBuilder read = new StringBuilder();
    socket.setSoTimeout(100);
    InputStream in = socket.getInputStream();
    for (int i = 0; i < 600; i++) {
      try {
        socket.getOutputStream().write(text.charAt(i % text.length()));
      } catch (SocketException gone) {
        return read + "gone";
      }
      try {
        for (int next = in.read(); ; next = in.read()) {
          if (next < 0) {
            return read + "end";
          }
          read.append((char) next);
        }
      } catch (java.net.SocketTimeoutException nothing) {
        // on
      } catch (SocketException gone) {
        return read + "gone";
      }
    }
    return read + "still there";
  }

  /** On its event loop, like all responses. */
  static void respond(HttpServerRequest request) {
    ((HttpServerRequestInternal) request)
        .context()
        .runOnContext(now -> request.response().end("at last"));
  }
}
