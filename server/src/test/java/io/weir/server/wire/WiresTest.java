package io.weir.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.vertx.core.Vertx;
import io.vertx.core.http.impl.headers.HeadersMultiMap;
import io.vertx.core.internal.ContextInternal;
import io.weir.rig.Fuzzing;
import io.weir.rig.Until;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WiresTest {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  private final Vertx vertx = Vertx.vertx();
  private final ContextInternal context = (ContextInternal) vertx.getOrCreateContext();
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger closed = new AtomicInteger();
  private ServerSocket server;
  private Wires wires;
  private volatile Consumer<Socket> answer = socket -> write(socket, OK);

  @BeforeEach
  void listen() throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
    wires = wires(Duration.ofSeconds(60));
  }

  @AfterEach
  void close() throws IOException {
    server.close();
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private Wires wires(Duration kept) {
    return wires(
        new Name(vertx, "127.0.0.1", Duration.ofSeconds(10), InetAddress::getAllByName), kept);
  }

  private Wires wires(Name name, Duration kept) {
    return new Wires(
        vertx, context.nettyEventLoop(), name, server.getLocalPort(), Duration.ofSeconds(10), kept);
  }

  @Test
  void aConnectionIsUsedAgain() throws Exception {
    for (int i = 0; i < 5; i++) {
      assertThat(ask("GET")).isEqualTo("200 ok|");
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
        // What belongs to no answer.
        "GET > 'HTTP/1.1 200 OK;Content-Length: 2;;okHTTP/1.1 200 OK;Content-Length: 3;;bad' > 200 ok| > 2",
        "GET > 'HTTP/1.1 200 OK;Content-Length: 2;;okHT' > 200 ok| > 2",
        "HEAD > 'HTTP/1.1 200 OK;Content-Length: 3;;bad' > 200 | > 2",
        // What is no answer.
        "GET > 'HTTP/1.1 200 OK;Content-Length: 9;;ok' > 200 ok broken > 2",
        "GET > 'HTTP/1.1 200 OK;Transfer-Encoding: chunked;;zz;ok;' > 200 broken > 2",
        "GET > 'HTTP/1.1 101 Switching Protocols;;' > failed > 2",
        "GET > 'what?;;' > failed > 2",
      })
  void tellsWhatComes(String method, String text, String told, int then) throws Exception {
    String bytes = text.substring(1, text.length() - 1).replace(";", "\r\n");
    boolean isCut = told.contains("broken") || text.contains("all that") || text.contains("what");
    answer =
        socket -> {
          write(socket, bytes);
          if (isCut) {
            shut(socket);
          }
        };
    assertThat(ask(method)).isEqualTo(told);
    answer = socket -> write(socket, OK);
    assertThat(ask("GET")).isEqualTo("200 ok|");
    assertThat(connections).hasValue(then);
  }

  /** Nobody has asked: it is nobody's answer. */
  @Test
  void whatComesWhileNobodyAsksEndsTheConnection() throws Exception {
    Socket used = used();
    write(used, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nbad");
    Until.holds("closed", () -> closed.get() == 1);
    assertThat(ask("GET")).isEqualTo("200 ok|");
    assertThat(connections).hasValue(2);
  }

  /** Not even the beginning of what might be somebody's. */
  @ParameterizedTest
  @ValueSource(strings = {"H", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nX: "})
  void whatIsLeftOverIsNotTheBeginningOfTheNextAnswer(String rest) throws Exception {
    answer = socket -> write(socket, OK + rest);
    assertThat(ask("GET")).isEqualTo("200 ok|");
    answer = socket -> write(socket, OK);
    assertThat(ask("GET")).isEqualTo("200 ok|");
    Socket used = used();
    int before = closed.get();
    write(used, rest); // in a read of its own
    Until.holds("closed", () -> closed.get() > before);
    assertThat(ask("GET")).isEqualTo("200 ok|");
  }

  @ParameterizedTest
  @CsvSource({"timeout=5, 1", "timeout=1, 2", "'max=3, timeout=0', 2", "what, 1"})
  void aServerSaysHowLongItKeepsAConnection(String told, int then) throws Exception {
    answer =
        socket ->
            write(
                socket, OK.replace("Content-Length", "Keep-Alive: " + told + "\r\nContent-Length"));
    assertThat(ask("GET")).isEqualTo("200 ok|");
    assertThat(ask("GET")).isEqualTo("200 ok|");
    assertThat(connections).hasValue(then);
  }

  @Test
  void whatIsNotUsedIsClosed() throws Exception {
    wires = wires(Duration.ofSeconds(1));
    assertThat(ask("GET")).isEqualTo("200 ok|");
    Until.holds("closed", () -> closed.get() == 1);
  }

  /** Whatever a server sends, it is told or refused, and it is nobody else's. */
  @Test
  void damagedAnswersAreNobodyElses() {
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
          answer =
              socket -> {
                write(socket, new String(damaged, ISO_8859_1));
                shut(socket);
              };
          ask(random.nextInt(4) == 0 ? "HEAD" : "GET");
          answer = socket -> write(socket, OK);
          String told = "failed"; // as long as it meets a connection that is just being closed
          for (int i = 0; i < 5 && told.equals("failed"); i++) {
            told = ask("GET");
          }
          assertThat(told).isEqualTo("200 ok|");
        });
  }

  @Test
  void aBodyGoesOut() throws Exception {
    CompletableFuture<String> told = new CompletableFuture<>();
    HeadersMultiMap headers = HeadersMultiMap.httpHeaders();
    headers.add("Host", "a").add("Content-Length", "4");
    context.runOnContext(
        now ->
            wires.take(
                false,
                new Taking(told) {
                  @Override
                  public void connected(Wire wire, boolean isFirst) {
                    wire.open(HttpMethod.POST, "/", headers, new Telling(wire, told));
                    wire.send(Unpooled.copiedBuffer("body", ISO_8859_1));
                    wire.end(EmptyHttpHeaders.INSTANCE);
                  }
                }));
    assertThat(told.get(30, TimeUnit.SECONDS)).isEqualTo("200 ok|");
    answer =
        socket -> {
          throw new AssertionError("the body was taken for a request");
        };
  }

  @Test
  void nobodyIsThere() throws Exception {
    server.close();
    assertThat(ask("GET")).isEqualTo("not connected");
  }

  private static InetAddress[] all(String... addresses) throws UnknownHostException {
    InetAddress[] all = new InetAddress[addresses.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = InetAddress.getByName(addresses[i]);
    }
    return all;
  }

  private Name name(Name.Lookup lookup, Duration fresh) {
    return new Name(vertx, "shop.example", Duration.ofSeconds(30), lookup, fresh);
  }

  /** Two of them go to the one where nobody is, before either knows. */
  @Test
  void allWhoMeetAnAddressWhereNobodyIsGoToTheOther() throws Exception {
    Name name = name(host -> all("127.0.0.1", "127.0.0.2"), Duration.ofHours(1));
    wires = wires(name, Duration.ofSeconds(60));
    List<CompletableFuture<String>> told = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      told.add(new CompletableFuture<>());
    }
    context.runOnContext(now -> told.forEach(each -> wires.take(true, new Connecting(each))));
    for (CompletableFuture<String> each : told) {
      assertThat(each.get(30, TimeUnit.SECONDS)).isEqualTo("connected");
    }
  }

  @Test
  void atMostThreeAddressesAreTriedForOne() throws Exception {
    Name name =
        name(
            host -> all("127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6"),
            Duration.ofHours(1));
    wires = wires(name, Duration.ofSeconds(60));
    CompletableFuture<String> told = new CompletableFuture<>();
    AtomicInteger asked = new AtomicInteger();
    Connecting patient =
        new Connecting(told) {
          @Override
          public boolean isWaiting() {
            return asked.incrementAndGet() > 0;
          }
        };
    context.runOnContext(now -> wires.take(true, patient));
    assertThat(told.get(30, TimeUnit.SECONDS)).isEqualTo("not connected");
    assertThat(asked).hasValue(3);
  }

  @Test
  void noFurtherAddressIsTriedForOneWhoHasGone() throws Exception {
    Name name = name(host -> all("127.0.0.1", "127.0.0.2"), Duration.ofHours(1));
    wires = wires(name, Duration.ofSeconds(60));
    CompletableFuture<String> told = new CompletableFuture<>();
    AtomicInteger asked = new AtomicInteger();
    Connecting gone =
        new Connecting(told) {
          @Override
          public boolean isWaiting() {
            return asked.incrementAndGet() == 1;
          }
        };
    context.runOnContext(now -> wires.take(true, gone));
    assertThat(told.get(30, TimeUnit.SECONDS)).isEqualTo("not connected");
    assertThat(asked).hasValue(2);
    assertThat(connections).hasValue(0);
  }

  /** It is in use all the time, and never grows old. */
  @Test
  void aConnectionIsNotUsedOnceTheServerHasMoved() throws Exception {
    AtomicReference<String> where = new AtomicReference<>("127.0.0.1");
    wires = wires(name(host -> all(where.get()), Duration.ofMillis(10)), Duration.ofSeconds(60));
    assertThat(ask("GET")).isEqualTo("200 ok|");
    where.set("127.0.0.2"); // where nobody is
    Until.holds("it is noticed", () -> ask("GET").equals("not connected"));
    Until.holds("it is closed", () -> closed.get() == 1);
    assertThat(connections).hasValue(1);
  }

  /** It says whether there is a connection. */
  private static class Connecting extends Taking {
    private final CompletableFuture<String> told;

    Connecting(CompletableFuture<String> told) {
      super(told);
      this.told = told;
    }

    @Override
    public void connected(Wire wire, boolean isFirst) {
      told.complete("connected");
    }
  }

  /** It wants no more of the body, says so and goes; what is sent then cannot be written. */
  @Test
  void whatAServerSaidBeforeItClosedIsHeardThoughWritingFails() throws Exception {
    answer =
        socket -> {
          write(socket, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
          close(socket);
        };
    CompletableFuture<String> told = new CompletableFuture<>();
    CompletableFuture<Wire> opened = new CompletableFuture<>();
    context.runOnContext(
        now ->
            wires.take(
                false,
                new Taking(told) {
                  @Override
                  public void connected(Wire wire, boolean isFirst) {
                    HeadersMultiMap headers = HeadersMultiMap.httpHeaders();
                    headers.add("Host", "a").add("Content-Length", "1000");
                    wire.pause();
                    wire.open(HttpMethod.PUT, "/", headers, new Telling(wire, told));
                    opened.complete(wire);
                  }
                }));
    Wire wire = opened.get(30, TimeUnit.SECONDS);
    Until.holds("the server has gone", () -> closed.get() == 1);
    for (int i = 0; i < 5; i++) {
      context.runOnContext(now -> wire.send(Unpooled.copiedBuffer("part", ISO_8859_1)));
      Thread.sleep(50); // for the system to hear that nobody is there
    }
    context.runOnContext(now -> wire.resume());
    assertThat(told.get(30, TimeUnit.SECONDS)).isEqualTo("413 no|");
    assertThat(ask("GET")).as("over another connection").isEqualTo("413 no|");
    assertThat(connections).hasValue(2);
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException gone) {
      // so be it
    }
  }

  /** The server's end of a connection over which it has answered. */
  private Socket used() throws Exception {
    CompletableFuture<Socket> used = new CompletableFuture<>();
    answer =
        socket -> {
          write(socket, OK);
          used.complete(socket);
        };
    assertThat(ask("GET")).isEqualTo("200 ok|");
    return used.join();
  }

  private String ask(String method) throws Exception {
    CompletableFuture<String> told = new CompletableFuture<>();
    context.runOnContext(
        now ->
            wires.take(
                false,
                new Taking(told) {
                  @Override
                  public void connected(Wire wire, boolean isFirst) {
                    HeadersMultiMap headers = HeadersMultiMap.httpHeaders();
                    headers.add("Host", "a");
                    wire.ask(HttpMethod.valueOf(method), "/", headers, new Telling(wire, told));
                  }
                }));
    String all = told.get(30, TimeUnit.SECONDS);
    // All that was read with it is looked at by then.
    CompletableFuture<Void> round = new CompletableFuture<>();
    context.runOnContext(now -> round.complete(null));
    round.get(30, TimeUnit.SECONDS);
    return all;
  }

  private abstract static class Taking implements Wires.Taker {
    private final CompletableFuture<String> told;

    Taking(CompletableFuture<String> told) {
      this.told = told;
    }

    @Override
    public boolean isWaiting() {
      return true;
    }

    @Override
    public void notConnected(Throwable cause) {
      told.complete("not connected");
    }
  }

  /** Writes down what it is told. */
  private final class Telling implements Asker {
    private final Wire wire;
    private final CompletableFuture<String> told;
    private final StringBuilder text = new StringBuilder();

    Telling(Wire wire, CompletableFuture<String> told) {
      this.wire = wire;
      this.told = told;
    }

    @Override
    public ContextInternal context() {
      return context;
    }

    @Override
    public void goOn() {
      text.append("go on ");
    }

    @Override
    public void hinted(HttpHeaders hints) {
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
      wire.release();
      told.complete(text.toString());
    }

    @Override
    public void hasRoom() {}

    @Override
    public void failed(Throwable cause) {
      told.complete(text.isEmpty() ? "failed" : text.toString().strip() + " broken");
    }
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "server");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
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

  private void serve(Socket socket) {
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
          answer.accept(socket);
        }
      }
    } catch (IOException gone) {
      // so be it
    } finally {
      closed.incrementAndGet();
    }
  }

  private static void write(Socket socket, String text) {
    try {
      socket.getOutputStream().write(text.getBytes(ISO_8859_1));
    } catch (IOException gone) {
      // so be it
    }
  }

  private static void shut(Socket socket) {
    try {
      socket.shutdownOutput();
    } catch (IOException gone) {
      // so be it
    }
  }
}
