package io.weir.server.gateway.http1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.vertx.core.Vertx;
import io.vertx.core.http.impl.headers.HeadersMultiMap;
import io.vertx.core.internal.ContextInternal;
import io.weir.TimeSource;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A scripted server on plain sockets, and a client of it. */
abstract class ScriptedUpstream {
  static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  final Vertx vertx = Vertx.vertx();
  final ContextInternal context = (ContextInternal) vertx.getOrCreateContext();
  final AtomicInteger connections = new AtomicInteger();
  final AtomicInteger closed = new AtomicInteger();
  ServerSocket server;
  private Thread acceptor;
  Http1Pool http1Pool;
  volatile Consumer<Socket> response = socket -> write(socket, OK);

  @BeforeEach
  void listen() throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    acceptor = start(this::accept);
    http1Pool = pool(Duration.ofSeconds(60));
  }

  @AfterEach
  void close() throws Exception {
    leave();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  /** Stops listening. */
  void leave() throws Exception {
    server.close();
    acceptor.join(); // the kernel accepts connections as long as a thread waits in accept
  }

  Http1Pool pool(Duration kept) {
    return pool(
        new HostResolver(
            vertx,
            "127.0.0.1",
            Duration.ofSeconds(10),
            InetAddress::getAllByName,
            TimeSource.system()),
        kept);
  }

  Http1Pool pool(HostResolver hostResolver, Duration kept) {
    return new Http1Pool(
        vertx,
        context.nettyEventLoop(),
        hostResolver,
        server.getLocalPort(),
        Duration.ofSeconds(10),
        kept);
  }

  static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException gone) {
      // so be it
    }
  }

  String exchange(String method) throws Exception {
    CompletableFuture<String> result = new CompletableFuture<>();
    context.runOnContext(
        now ->
            http1Pool.take(
                false,
                new ResultCallback(result) {
                  @Override
                  public void connected(Http1Connection http1Connection, boolean isFirst) {
                    HeadersMultiMap headers = HeadersMultiMap.httpHeaders();
                    headers.add("Host", "a");
                    http1Connection.request(
                        HttpMethod.valueOf(method),
                        "/",
                        headers,
                        new ResultListener(http1Connection, result));
                  }
                }));
    String all = result.get(30, TimeUnit.SECONDS);
    // By then, all input read with it has been processed.
    CompletableFuture<Void> round = new CompletableFuture<>();
    context.runOnContext(now -> round.complete(null));
    round.get(30, TimeUnit.SECONDS);
    return all;
  }

  abstract static class ResultCallback implements Http1Pool.ConnectCallback {
    private final CompletableFuture<String> result;

    ResultCallback(CompletableFuture<String> result) {
      this.result = result;
    }

    @Override
    public boolean isWaiting() {
      return true;
    }

    @Override
    public void notConnected(Throwable cause) {
      result.complete("not connected");
    }
  }

  /** Records the events. */
  final class ResultListener implements ResponseListener {
    private final Http1Connection http1Connection;
    private final CompletableFuture<String> result;
    private final StringBuilder text = new StringBuilder();

    ResultListener(Http1Connection http1Connection, CompletableFuture<String> result) {
      this.http1Connection = http1Connection;
      this.result = result;
    }

    @Override
    public ContextInternal context() {
      return context;
    }

    @Override
    public void continueReceived() {
      text.append("go on ");
    }

    @Override
    public void hintsReceived(HttpHeaders hints) {
      text.append("hint ").append(hints.get("Link")).append(' ');
    }

    @Override
    public void answered(HttpResponse head) {
      text.append(head.status().code()).append(' ');
    }

    @Override
    public void received(ByteBuf part) {
      text.append(part.toString(ISO_8859_1));
    }

    @Override
    public void ended(HttpHeaders trailers) {
      text.append('|');
      trailers.iteratorAsString().forEachRemaining(text::append);
      http1Connection.release();
      result.complete(text.toString());
    }

    @Override
    public void hasRoom() {}

    @Override
    public void failed(Throwable cause) {
      result.complete(text.isEmpty() ? "failed" : text.toString().strip() + " broken");
    }
  }

  static Thread start(Runnable work) {
    Thread thread = new Thread(work, "server");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        connections.incrementAndGet();
        start(() -> serve(socket));
      }
    } catch (IOException end) {
      // the test is over
    }
  }

  void serve(Socket socket) {
    try (socket) {
      InputStream in = socket.getInputStream();
      StringBuilder head = new StringBuilder();
      for (int c = in.read(); c >= 0; c = in.read()) {
        head.append((char) c);
        if (head.indexOf("\r\n\r\n") >= 0) {
          if (head.indexOf("POST") == 0) {
            in.readNBytes(4);
          }
          head.setLength(0);
          response.accept(socket);
        }
      }
    } catch (IOException gone) {
      // so be it
    } finally {
      closed.incrementAndGet();
    }
  }

  static void write(Socket socket, String text) {
    try {
      socket.getOutputStream().write(text.getBytes(ISO_8859_1));
    } catch (IOException gone) {
      // so be it
    }
  }

  static void shut(Socket socket) {
    try {
      socket.shutdownOutput();
    } catch (IOException gone) {
      // so be it
    }
  }
}
