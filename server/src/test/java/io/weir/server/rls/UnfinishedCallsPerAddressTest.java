package io.weir.server.rls;

import static io.weir.server.rls.RawGrpc.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.weir.proto.ProtoWriter;
import io.weir.rig.Await;
import io.weir.rules.http.TrustedProxies;
import io.weir.rules.match.Network;
import io.weir.server.connection.LimitingTransport;
import io.weir.server.connection.MemoryBudget;
import io.weir.server.connection.ServerLimits;
import io.weir.server.grpc.GrpcMethod;
import io.weir.server.grpc.GrpcServer;
import io.weir.server.http.Listener;
import io.weir.server.http.UnfinishedBodies;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Incomplete messages of one address leave room for those of others. */
class UnfinishedCallsPerAddressTest {
  private static final int PART = 60_000;
  private static final int BUDGET = 80 * PART;
  private static final byte[] HALF = message(0, PART + 1, new byte[PART - 5]);
  private static final byte[] WHOLE = message(0, PART, new byte[PART]);
  private static final String OTHER = "127.0.0.2";

  private final Vertx vertx = LimitingTransport.vertx(new VertxOptions());
  private final MemoryBudget partialBudget = new MemoryBudget(BUDGET);
  private UnfinishedBodies unfinished = new UnfinishedBodies(partialBudget);

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private int listen(int most, int percent, String... exempt) {
    TrustedProxies trusted = new TrustedProxies(Stream.of(exempt).map(Network::parse).toList());
    unfinished = new UnfinishedBodies(partialBudget, trusted, most, percent);
    GrpcServer server =
        new GrpcServer(any -> true, any -> {}, unfinished)
            .on("a/One", GrpcMethod.one((call, message) -> call.respond(new ProtoWriter(16))))
            .on("a/Many", GrpcMethod.many((call, message) -> call.send(new ProtoWriter(16))));
    return Listener.open(vertx, ServerLimits.PEERS.at("127.0.0.1", 0), 1, server)
        .toCompletionStage()
        .toCompletableFuture()
        .join()
        .port();
  }

  /** Sends as many bytes as the budget has, over as many connections as their windows require. */
  private static List<RawGrpc> flood(int port, String path) throws IOException {
    List<RawGrpc> connections = new ArrayList<>();
    for (int i = 0; i < BUDGET / PART; i++) {
      if (i % 10 == 0) {
        connections.add(new RawGrpc(port));
      }
      RawGrpc raw = connections.get(connections.size() - 1);
      raw.data(raw.begin(path), false, HALF);
    }
    for (RawGrpc raw : connections) { // by its end, all before it has been received
      int last = raw.begin("/a/Many");
      raw.data(last, true, message(0, 0, new byte[0]));
      assertThat(raw.outcome(last)).isEqualTo("0");
    }
    return connections;
  }

  private static void close(List<RawGrpc> connections) throws IOException {
    for (RawGrpc raw : connections) {
      raw.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a/One", "/a/Many"})
  void oneAddressCannotUseUpTheMemoryForMessages(String path) throws IOException {
    int port = listen(10_000, 25);
    List<RawGrpc> flood = flood(port, path);
    try (RawGrpc honest = RawGrpc.from(OTHER, port)) {
      assertThat(partialBudget.bytes()).isGreaterThan(BUDGET / 5);
      int id = honest.begin("/a/One");
      honest.data(id, false, WHOLE); // its end comes later, as that of a slow client
      honest.data(id, true, new byte[0]);
      assertThat(honest.outcome(id)).isEqualTo("0");
      assertThat(partialBudget.bytes()).isLessThanOrEqualTo(BUDGET / 4);
      int refused = flood.get(7).begin("/a/One");
      flood.get(7).data(refused, false, HALF);
      assertThat(flood.get(7).outcome(refused)).isEqualTo("8");
    } finally {
      close(flood);
    }
    Await.holds("nothing is kept", () -> partialBudget.bytes() == 0);
  }

  @Test
  void trustedPeerMayUseTheWholeMemory() throws IOException {
    int port = listen(3, 25, "127.0.0.1/32");
    List<RawGrpc> flood = flood(port, "/a/One");
    try {
      assertThat(partialBudget.bytes()).isEqualTo(BUDGET);
    } finally {
      close(flood);
    }
    Await.holds("nothing is kept", () -> partialBudget.bytes() == 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"head", "part of one", "part of many"})
  void endsOldestIncompleteMessageOfAnAddress(String what) throws Exception {
    int port = listen(3, 100);
    String path = what.endsWith("many") ? "/a/Many" : "/a/One";
    try (RawGrpc raw = new RawGrpc(port);
        RawGrpc honest = RawGrpc.from(OTHER, port)) {
      List<Integer> calls = new ArrayList<>();
      int other = honest.begin("/a/One");
      for (int i = 0; i < 4; i++) {
        int before = i + 1; // each is counted before the next begins
        Await.holds("counted", () -> unfinished.number() == before);
        int id = raw.begin(path);
        calls.add(id);
        if (!what.equals("head")) {
          raw.data(id, false, message(0, 10, new byte[3]));
        }
      }
      assertThat(raw.outcome(calls.get(0))).isEqualTo("8");
      for (int id : calls.subList(1, 4)) {
        raw.data(id, true, what.equals("head") ? WHOLE : new byte[7]);
        assertThat(raw.outcome(id)).isEqualTo("0");
      }
      honest.data(other, true, WHOLE);
      assertThat(honest.outcome(other)).as("another address").isEqualTo("0");
    }
    Await.holds("nothing is kept", () -> partialBudget.bytes() == 0 && unfinished.number() == 0);
  }
}
