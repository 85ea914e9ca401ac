package io.weir.server.rls;

import static io.weir.server.rls.RawGrpc.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.weir.proto.ProtoWriter;
import io.weir.rig.Await;
import io.weir.server.connection.LimitingTransport;
import io.weir.server.connection.MemoryBudget;
import io.weir.server.connection.ServerLimits;
import io.weir.server.grpc.GrpcCall;
import io.weir.server.grpc.GrpcMethod;
import io.weir.server.grpc.GrpcServer;
import io.weir.server.http.Listener;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that begin and do not end: what they keep is counted, and given back. */
class UnfinishedCallsTest {
  private static final int PART = 40_000;
  private static final byte[] HALF = message(0, PART + 1, new byte[PART - 5]);
  private static final byte[] WHOLE = message(0, PART, new byte[PART]);

  private final Vertx vertx = LimitingTransport.vertx(new VertxOptions());
  private final MemoryBudget partialBudget = new MemoryBudget(5 * PART);
  private final AtomicInteger shouts = new AtomicInteger();
  private int port;

  @BeforeEach
  void listen() {
    GrpcServer server =
        new GrpcServer(any -> true, any -> {}, partialBudget)
            .on("a/One", GrpcMethod.one((call, message) -> call.respond(new ProtoWriter(16))))
            .on("a/Deep", GrpcMethod.one((call, message) -> overflow()))
            .on("a/Many", GrpcMethod.many((call, message) -> call.send(new ProtoWriter(16))))
            .on("a/Loud", GrpcMethod.many((call, message) -> shout(call)));
    port =
        Listener.open(vertx, ServerLimits.PEERS.at("127.0.0.1", 0), 1, server)
            .toCompletionStage()
            .toCompletableFuture()
            .join()
            .port();
  }

  private void shout(GrpcCall call) {
    shouts.incrementAndGet();
    call.send(new ProtoWriter(5000).bytes(1, new byte[4096]));
  }

  @Test
  void stopsRespondingToClientThatDoesNotRead() throws IOException {
    try (RawGrpc raw = new RawGrpc(port)) {
      raw.send(RawGrpc.SETTINGS, 0, 0, new byte[] {0, 4, 0, 0, 0, 0}); // no window for responses
      int id = raw.begin("/a/Loud", "grpc-timeout", "3S");
      byte[] many = new byte[5 * 8000];
      raw.data(id, false, many);
      assertThat(raw.outcome(id)).as("cut off").isIn("4", "reset");
      assertThat(shouts.get()).isBetween(1, 200);
      int other = raw.begin("/a/One");
      raw.data(other, true, WHOLE);
      Await.holds("nothing is kept", () -> partialBudget.bytes() == 0);
    }
  }

  @Test
  void keepsRespondingToClientThatReads() throws IOException {
    try (RawGrpc raw = new RawGrpc(port)) {
      raw.send(RawGrpc.SETTINGS, 0, 0, new byte[] {0, 4, 0x3f, (byte) 0xff, 0, 0});
      int id = raw.begin("/a/Loud");
      raw.data(id, false, new byte[5 * 5000]);
      raw.data(id, true, new byte[5 * 4000]);
      assertThat(raw.outcome(id)).isEqualTo("0");
      assertThat(shouts.get()).isEqualTo(9000);
    }
  }

  @Test
  void aCallHasOnlySoManyMessages() throws IOException {
    try (RawGrpc raw = new RawGrpc(port)) {
      int id = raw.begin("/a/Many");
      raw.data(id, false, new byte[5 * 10_001]);
      assertThat(raw.outcome(id)).isIn("8", "reset");
    }
  }

  private static void overflow() {
    throw new StackOverflowError("as a message that is too deep would have it");
  }

  @Test
  void errorIsAResponseToo() throws IOException {
    try (RawGrpc raw = new RawGrpc(port)) {
      int id = raw.begin("/a/Deep");
      raw.data(id, true, WHOLE);
      assertThat(raw.outcome(id)).isEqualTo("13");
    }
  }

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private static byte[] body(String how) {
    return how.startsWith("half") ? HALF : WHOLE;
  }

  private static String path(String how) {
    return how.endsWith("many") ? "/a/Many" : "/a/One";
  }

  @ParameterizedTest
  @ValueSource(strings = {"half of one", "whole, but not the last", "half of many"})
  @DisplayName("five fit, the sixth is refused, and all is given back when the connection ends")
  void together(String how) throws IOException {
    try (RawGrpc raw = new RawGrpc(port)) {
      for (int i = 0; i < 5; i++) {
        raw.data(raw.begin(path(how)), false, body(how));
      }
      Await.holds("five are kept", () -> partialBudget.bytes() == 5 * PART);
      int sixth = raw.begin(path(how));
      raw.data(sixth, false, body(how));
      assertThat(raw.outcome(sixth)).isEqualTo("8");
      assertThat(partialBudget.bytes()).isEqualTo(5 * PART);
    }
    Await.holds("nothing is kept", () -> partialBudget.bytes() == 0);
  }

  @Test
  void returnsReleasedMemoryAndResponds() throws IOException {
    try (RawGrpc raw = new RawGrpc(port)) {
      int first = raw.begin("/a/One");
      raw.data(first, false, WHOLE);
      int second = raw.begin("/a/One");
      raw.data(second, false, HALF);
      Await.holds("both are kept", () -> partialBudget.bytes() == 2 * PART);
      raw.data(first, true, new byte[0]);
      assertThat(raw.outcome(first)).isEqualTo("0");
      Await.holds("one is kept", () -> partialBudget.bytes() == PART);
      raw.data(second, true, new byte[6]);
      assertThat(raw.outcome(second)).isEqualTo("0");
      Await.holds("nothing is kept", () -> partialBudget.bytes() == 0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"nothing", "half of one", "whole, but not the last", "half of many"})
  void messageTimeoutIsAtMostTheDeadline(String how) throws IOException {
    try (RawGrpc raw = new RawGrpc(port)) {
      int id = raw.begin(path(how), "grpc-timeout", "50m");
      if (!how.equals("nothing")) {
        raw.data(id, false, body(how));
      }
      assertThat(raw.outcome(id)).isEqualTo("4");
      Await.holds("nothing is kept", () -> partialBudget.bytes() == 0);
    }
  }

  @Test
  void releasesMemoryOfCancelledCall() throws IOException {
    try (RawGrpc raw = new RawGrpc(port)) {
      int id = raw.begin("/a/One");
      raw.data(id, false, WHOLE);
      Await.holds("it is kept", () -> partialBudget.bytes() == PART);
      raw.reset(id);
      Await.holds("nothing is kept", () -> partialBudget.bytes() == 0);
    }
  }
}
