package io.weir.server.gateway.http1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.vertx.core.http.impl.headers.HeadersMultiMap;
import io.weir.rig.Await;
import io.weir.rig.Fuzzing;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pooled connections and their responses. */
class Http1PoolTest extends ScriptedUpstream {
  @Test
  void reusesConnection() throws Exception {
    for (int i = 0; i < 5; i++) {
      assertThat(exchange("GET")).isEqualTo("200 ok|");
    }
    assertThat(connections).hasValue(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '>',
      quoteCharacter = '"',
      value = {
        "GET > 'HTTP/1.1 200 OK;Content-Length: 0;;' > 200 | > 1",
        "GET > 'HTTP/1.1 200 OK;Transfer-Encoding: chunked;;2;ok;0;A: b;;' > 200 ok|A=b > 1",
        "GET > 'HTTP/1.1 100 Continue;;HTTP/1.1 200 OK;Content-Length: 2;;ok' > go on 200 ok| > 1",
        "GET > 'HTTP/1.1 102 Processing;;HTTP/1.1 204 No Content;;' > 204 | > 1",
        "GET > 'HTTP/1.1 103 Early Hints;Link: x;;HTTP/1.1 304 Not Modified;;' > hint x 304 | > 1",
        "HEAD > 'HTTP/1.1 200 OK;Content-Length: 99;;' > 200 | > 1",
        "GET > 'HTTP/1.1 200 OK;Connection: close;Content-Length: 2;;ok' > 200 ok| > 2",
        "GET > 'HTTP/1.0 200 OK;Content-Length: 2;;ok' > 200 ok| > 2",
        "GET > 'HTTP/1.1 200 OK;;all that comes' > 200 all that comes| > 2",
        // Bytes after the response.
        "GET > 'HTTP/1.1 200 OK;Content-Length: 2;;okHTTP/1.1 200 OK;Content-Length: 3;;bad' > 200 ok| > 2",
        "GET > 'HTTP/1.1 200 OK;Content-Length: 2;;okHT' > 200 ok| > 2",
        "HEAD > 'HTTP/1.1 200 OK;Content-Length: 3;;bad' > 200 | > 2",
        // Invalid responses.
        "GET > 'HTTP/1.1 200 OK;Content-Length: 9;;ok' > 200 ok broken > 2",
        "GET > 'HTTP/1.1 200 OK;Transfer-Encoding: chunked;;zz;ok;' > 200 broken > 2",
        "GET > 'HTTP/1.1 101 Switching Protocols;;' > failed > 2",
        "GET > 'what?;;' > failed > 2",
      })
  void reportsResponse(String method, String text, String expected, int then) throws Exception {
    String bytes = text.substring(1, text.length() - 1).replace(";", "\r\n");
    boolean isCut =
        expected.contains("broken") || text.contains("all that") || text.contains("what");
    response =
        socket -> {
          write(socket, bytes);
          if (isCut) {
            shut(socket);
          }
        };
    assertThat(exchange(method)).isEqualTo(expected);
    response = socket -> write(socket, OK);
    assertThat(exchange("GET")).isEqualTo("200 ok|");
    assertThat(connections).hasValue(then);
  }

  /** Bytes without a request are not a response. */
  @Test
  void closesConnectionThatSendsUnsolicitedBytes() throws Exception {
    Socket used = used();
    write(used, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad");
    Await.holds("closed", () -> closed.get() == 1);
    assertThat(exchange("GET")).isEqualTo("200 ok|");
    assertThat(connections).hasValue(2);
  }

  /** Not even a partial response may remain for the next request. */
  @ParameterizedTest
  @ValueSource(strings = {"H", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nX: "})
  void leftoverBytesDoNotBeginTheNextResponse(String rest) throws Exception {
    response = socket -> write(socket, OK + rest);
    assertThat(exchange("GET")).isEqualTo("200 ok|");
    response = socket -> write(socket, OK);
    assertThat(exchange("GET")).isEqualTo("200 ok|");
    Socket used = used();
    int before = closed.get();
    write(used, rest); // in a read of its own
    Await.holds("closed", () -> closed.get() > before);
    assertThat(exchange("GET")).isEqualTo("200 ok|");
  }

  @ParameterizedTest
  @CsvSource({"timeout=5, 1", "timeout=1, 2", "'max=3, timeout=0', 2", "what, 1"})
  void respectsKeepAliveOfTheServer(String keepAlive, int then) throws Exception {
    response =
        socket ->
            write(
                socket,
                OK.replace("Content-Length", "Keep-Alive: " + keepAlive + "\r\nContent-Length"));
    assertThat(exchange("GET")).isEqualTo("200 ok|");
    assertThat(exchange("GET")).isEqualTo("200 ok|");
    assertThat(connections).hasValue(then);
  }

  @Test
  void closesUnusedConnection() throws Exception {
    http1Pool = pool(Duration.ofSeconds(1));
    assertThat(exchange("GET")).isEqualTo("200 ok|");
    Await.holds("closed", () -> closed.get() == 1);
  }

  /** Any input of a server is reported or refused, and never reaches another request. */
  @Test
  void damagedResponsesNeverReachAnotherRequest() {
    List<String> good =
        List.of(
            OK,
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n",
            "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + OK,
            "HTTP/1.1 204 No Content\r\nKeep-Alive: timeout=9\r\n\r\n");
    List<byte[]> pieces =
        Stream.of(
                OK, "\r\n", "\r\n\r\n", "HTTP/1.1 ", "100", "Content-Length: 1\r\n", "0", "\0", ":")
            .map(piece -> piece.getBytes(ISO_8859_1))
            .toList();
    Fuzzing.rounds(
        1000,
        random -> {
          byte[] damaged =
              Fuzzing.damaged(Fuzzing.pick(good, random).getBytes(ISO_8859_1), pieces, random);
          response =
              socket -> {
                write(socket, new String(damaged, ISO_8859_1));
                shut(socket);
              };
          exchange(random.nextInt(4) == 0 ? "HEAD" : "GET");
          response = socket -> write(socket, OK);
          String result = "failed"; // retries while it meets a connection that is just being closed
          for (int i = 0; i < 5 && result.equals("failed"); i++) {
            result = exchange("GET");
          }
          assertThat(result).isEqualTo("200 ok|");
        });
  }

  @Test
  void sendsBody() throws Exception {
    CompletableFuture<String> result = new CompletableFuture<>();
    HeadersMultiMap headers = HeadersMultiMap.httpHeaders();
    headers.add("Host", "a").add("Content-Length", "4");
    context.runOnContext(
        now ->
            http1Pool.take(
                false,
                new ResultCallback(result) {
                  @Override
                  public void connected(Http1Connection http1Connection, boolean isFirst) {
                    http1Connection.open(
                        HttpMethod.POST, "/", headers, new ResultListener(http1Connection, result));
                    http1Connection.send(Unpooled.copiedBuffer("body", ISO_8859_1));
                    http1Connection.end(EmptyHttpHeaders.INSTANCE);
                  }
                }));
    assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("200 ok|");
    response =
        socket -> {
          throw new AssertionError("the body was taken for a request");
        };
  }

  @Test
  void failsIfTheServerRefusesConnections() throws Exception {
    leave();
    assertThat(exchange("GET")).isEqualTo("not connected");
  }

  /** The server refuses the rest of the body, responds and closes; later writes fail. */
  @Test
  void readsResponseAlthoughWritingFails() throws Exception {
    response =
        socket -> {
          write(socket, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
          close(socket);
        };
    CompletableFuture<String> result = new CompletableFuture<>();
    CompletableFuture<Http1Connection> opened = new CompletableFuture<>();
    context.runOnContext(
        now ->
            http1Pool.take(
                false,
                new ResultCallback(result) {
                  @Override
                  public void connected(Http1Connection http1Connection, boolean isFirst) {
                    HeadersMultiMap headers = HeadersMultiMap.httpHeaders();
                    headers.add("Host", "a").add("Content-Length", "1000");
                    http1Connection.pause();
                    http1Connection.open(
                        HttpMethod.PUT, "/", headers, new ResultListener(http1Connection, result));
                    opened.complete(http1Connection);
                  }
                }));
    Http1Connection http1Connection = opened.get(30, TimeUnit.SECONDS);
    Await.holds("the server has gone", () -> closed.get() == 1);
    for (int i = 0; i < 5; i++) {
      context.runOnContext(now -> http1Connection.send(Unpooled.copiedBuffer("part", ISO_8859_1)));
      Thread.sleep(50); // time for the kernel to receive the reset
    }
    context.runOnContext(now -> http1Connection.resume());
    assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("413 no|");
    assertThat(exchange("GET")).as("over another connection").isEqualTo("413 no|");
    assertThat(connections).hasValue(2);
  }

  /** The server's end of a connection after a response. */
  private Socket used() throws Exception {
    CompletableFuture<Socket> used = new CompletableFuture<>();
    response =
        socket -> {
          write(socket, OK);
          used.complete(socket);
        };
    assertThat(exchange("GET")).isEqualTo("200 ok|");
    return used.join();
  }
}
