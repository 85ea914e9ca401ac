package io.weir.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.weir.decision.RuleOutcome;
import io.weir.rig.Await;
import io.weir.rig.FaultyProxy;
import io.weir.rig.RedisProcess;
import io.weir.rig.SharedRedis;
import io.weir.rules.Rule;
import io.weir.rules.RuleBucket;
import io.weir.runtime.Node;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that start late: they wait for a remote store, or for their turn. */
@Timeout(60)
class DelayedCallsTest {
  private static EchoServer start(Node node, int mostHeld) throws Exception {
    return new EchoServer(
        WeirServerInterceptor.builder(node).closesNode().mostHeld(mostHeld).build());
  }

  private static Node.Builder withLongTimeout(String rules) {
    return Rules.node(rules).storeTimeout(Duration.ofSeconds(20));
  }

  /** A node after its store was reached, however long that took. */
  private static Node reaching(String store, String rules) {
    Node node = withLongTimeout(rules).store(store).open();
    Await.holds("the store is reached", () -> node.health().isWell());
    return node;
  }

  /** What a stream brought, in its order, and how it ended. */
  private static final class Replies implements StreamObserver<String> {
    final List<String> all = new CopyOnWriteArrayList<>();
    final CompletableFuture<Status> end = new CompletableFuture<>();

    @Override
    public void onNext(String reply) {
      all.add(reply);
    }

    @Override
    public void onError(Throwable thrown) {
      end.complete(Status.fromThrowable(thrown));
    }

    @Override
    public void onCompleted() {
      end.complete(Status.OK);
    }
  }

  private static Replies chat(EchoServer server, int messages) {
    Replies replies = new Replies();
    StreamObserver<String> to =
        ClientCalls.asyncBidiStreamingCall(
            server.channel.newCall(EchoServer.CHAT, CallOptions.DEFAULT), replies);
    for (int i = 0; i < messages; i++) {
      to.onNext("" + i);
    }
    to.onCompleted();
    return replies;
  }

  @Test
  void redisDecidesCalls() throws Exception {
    RedisProcess redis = SharedRedis.empty();
    String rules = "rules: [ { name: all, limit: { algorithm: sliding-log, rate: 3 per hour } } ]";
    try (EchoServer server = start(reaching(redis.url(), rules), 10)) {
      EchoServer.ReceivedMetadata receivedMetadata = new EchoServer.ReceivedMetadata();
      assertThat(server.say("a", new Metadata(), receivedMetadata)).isEqualTo("heard a");
      assertThat(receivedMetadata.header("x-ratelimit-remaining")).isEqualTo("2");
      Replies stream = chat(server, 50);
      assertThat(stream.end.get(30, TimeUnit.SECONDS)).isEqualTo(Status.OK);
      assertThat(stream.all).hasSize(50).startsWith("heard 0", "heard 1").endsWith("heard 49");
      assertThat(server.users).as("in the call's context").containsExactly("ann");
      Replies empty = chat(server, 0);
      assertThat(empty.end.get(30, TimeUnit.SECONDS)).isEqualTo(Status.OK);
      assertThat(chat(server, 5).end.get(30, TimeUnit.SECONDS).getCode())
          .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    }
  }

  /**
   * The server's thread continues the call itself only if the store has responded before it leaves.
   */
  @Test
  void callDecidedLaterContinuesOnAnotherThread() throws Exception {
    RedisProcess redis = SharedRedis.empty();
    String rules = "rules: [ { name: all, limit: 9 per hour } ]";
    try (FaultyProxy way = new FaultyProxy(redis.port());
        EchoServer server = start(reaching(way.url(), rules), 10)) {
      assertThat(server.say("warm")).isEqualTo("heard warm");
      way.toClient(FaultyProxy.Fault.STALL);
      Replies stream = chat(server, 50);
      Await.holds("the call was received", () -> server.received.get() == 2);
      way.heal();
      assertThat(stream.end.get(30, TimeUnit.SECONDS)).isEqualTo(Status.OK);
      assertThat(stream.all).hasSize(50).startsWith("heard 0", "heard 1").endsWith("heard 49");
      assertThat(server.users).as("in the call's context").containsExactly("ann");
      assertThat(server.thread.get()).startsWith("weir-grpc");
    }
  }

  @Test
  void applicationExceptionEndsTheCall() throws Exception {
    RedisProcess redis = SharedRedis.empty();
    String rules = "rules: [ { name: all, limit: 9 per hour } ]";
    try (EchoServer server = start(reaching(redis.url(), rules), 10)) {
      StatusRuntimeException thrown =
          catchThrowableOfType(StatusRuntimeException.class, () -> server.say("throw"));
      assertThat(thrown.getStatus().getCode()).isEqualTo(Status.Code.UNKNOWN);
      assertThat(server.say("b")).isEqualTo("heard b");
    }
  }

  @Test
  void callCancelledDuringItsDecisionNeverBegins() throws Exception {
    RedisProcess redis = SharedRedis.empty();
    String rules = "rules: [ { name: all, limit: 9 per hour } ]";
    try (FaultyProxy way = new FaultyProxy(redis.port());
        EchoServer server = start(reaching(way.url(), rules), 10)) {
      assertThat(server.say("warm")).isEqualTo("heard warm");
      way.toClient(FaultyProxy.Fault.STALL);
      ClientCall<String, String> call =
          server.channel.newCall(EchoServer.CHAT, CallOptions.DEFAULT);
      call.start(new ClientCall.Listener<>() {}, new Metadata());
      call.sendMessage("a");
      Await.holds("the call was received", () -> server.received.get() == 2);
      call.cancel("changed my mind", null);
      Await.holds("the server knows", () -> server.cancelled.get() == 1);
      way.heal();
      Await.holds("the next is served", () -> server.say("b").equals("heard b"));
      assertThat(server.thread.get()).as("no stream was begun").isEmpty();
    }
  }

  @Test
  void callCancelledDuringItsDecisionReleasesItsDelaySlot() throws Exception {
    RedisProcess redis = SharedRedis.empty();
    String rules =
        "rules: [ { name: all, limit: { algorithm: leaky-bucket, rate: 1 per hour, queue: 9 } } ]";
    try (FaultyProxy way = new FaultyProxy(redis.port());
        Node node = reaching(way.url(), rules);
        EchoServer server = new EchoServer(WeirServerInterceptor.builder(node).build())) {
      assertThat(server.say("at once")).isEqualTo("heard at once");
      way.toClient(FaultyProxy.Fault.STALL);
      ClientCall<String, String> call =
          server.channel.newCall(EchoServer.CHAT, CallOptions.DEFAULT);
      call.start(new ClientCall.Listener<>() {}, new Metadata());
      Await.holds("the call was received", () -> server.received.get() == 2);
      call.cancel("changed my mind", null);
      Await.holds("the server knows", () -> server.cancelled.get() == 1);
      way.heal();
      Await.holds("it was counted", () -> delayed(node) == 1);
      Await.holds("its place is free", () -> remaining(node) == 9);
      assertThat(server.begun).hasValue(1);
    }
  }

  @Test
  void delaysCallUntilItsTurnAndRefusesExcessCalls() throws Exception {
    String rules =
        "rules: [ { name: all, limit: { algorithm: leaky-bucket, rate: 1 per hour, queue: 9 } } ]";
    Node node = withLongTimeout(rules).open();
    try (EchoServer server = start(node, 1)) {
      assertThat(server.say("at once")).isEqualTo("heard at once");
      ClientCall<String, String> held =
          server.channel.newCall(EchoServer.CHAT, CallOptions.DEFAULT);
      held.start(new ClientCall.Listener<>() {}, new Metadata());
      Await.holds("it is held", () -> server.received.get() == 2);
      StatusRuntimeException busy =
          catchThrowableOfType(StatusRuntimeException.class, () -> server.say("too many"));
      assertThat(busy.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
      assertThat(server.begun).hasValue(1);
      held.cancel("changed my mind", null);
      Await.holds("its place is free", () -> remaining(node) == 9);
    }
  }

  @Test
  void closingTheInterceptorEndsDelayedCallsAtOnce() throws Exception {
    String rules =
        "rules: [ { name: all, limit: { algorithm: leaky-bucket, rate: 1 per hour, queue: 9 } } ]";
    try (Node node = withLongTimeout(rules).open()) {
      WeirServerInterceptor weir = WeirServerInterceptor.builder(node).build();
      try (EchoServer server = new EchoServer(weir)) {
        server.say("at once");
        Replies held = chat(server, 1);
        Await.holds("it is held", () -> delayed(node) == 1);
        weir.close();
        assertThat(held.end.get(30, TimeUnit.SECONDS).getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(remaining(node)).isEqualTo(9);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"an error", "an exception", "nothing"})
  void callEndsIfTheExecutorRejectsIt(String thrown) throws Exception {
    RedisProcess redis = SharedRedis.empty();
    String rules = "rules: [ { name: all, limit: 9 per hour } ]";
    Executor executor =
        work -> {
          switch (thrown) {
            case "an error" -> throw new OutOfMemoryError("thrown on purpose");
            case "an exception" -> throw new IllegalStateException("thrown on purpose");
            default -> work.run();
          }
        };
    try (FaultyProxy way = new FaultyProxy(redis.port());
        EchoServer server =
            new EchoServer(
                WeirServerInterceptor.builder(reaching(way.url(), rules))
                    .closesNode()
                    .executor(executor)
                    .build())) {
      way.toClient(FaultyProxy.Fault.STALL);
      Replies stream = chat(server, 1);
      Await.holds("the call was received", () -> server.received.get() == 1);
      way.heal();
      assertThat(stream.end.get(30, TimeUnit.SECONDS).getCode())
          .isEqualTo(thrown.equals("nothing") ? Status.Code.OK : Status.Code.UNAVAILABLE);
    }
  }

  @Test
  void delayedCallIsServedAtItsTurn() throws Exception {
    String rules =
        "rules: [ { name: all, limit: { algorithm: leaky-bucket, rate: 5 per second, queue: 9 } } ]";
    try (EchoServer server = start(withLongTimeout(rules).open(), 10)) {
      long start = System.nanoTime();
      server.say("a");
      assertThat(server.say("b")).isEqualTo("heard b");
      assertThat(System.nanoTime() - start).isGreaterThan(Duration.ofMillis(190).toNanos());
    }
  }

  private static long delayed(Node node) {
    return node.decisionEngine()
        .decisionCounters()
        .rules(node::rules)
        .get(0)
        .count(RuleOutcome.DELAYED);
  }

  private static long remaining(Node node) {
    Rule rule = node.rules().domains().get(0).allRules().get(0);
    RuleBucket ruleBucket = node.decisionEngine().buckets(rule, "").get(0);
    return ruleBucket.peek().toCompletableFuture().join().remaining();
  }

  @Test
  void appliesOnFailureOfEachRuleAfterRedisIsKilled() throws Exception {
    String rules =
        """
        attributes: { kind: { header: kind } }
        rules:
          - { name: allow, match: { kind: allow }, limit: 99 per hour, on_failure: allow }
          - { name: deny, match: { kind: deny }, limit: 99 per hour, on_failure: deny }
          - { name: local, match: { kind: local }, limit: 99 per hour, on_failure: local }
          - { name: error, match: { kind: error }, limit: 99 per hour, on_failure: error }
        """;
    try (RedisProcess redis = RedisProcess.start();
        EchoServer server = start(reaching(redis.url(), rules), 10)) {
      for (String kind : List.of("allow", "deny", "local", "error")) {
        assertThat(code(server, kind)).isEqualTo(Status.Code.OK);
      }
      redis.kill();
      assertThat(code(server, "allow")).isEqualTo(Status.Code.OK);
      assertThat(code(server, "deny")).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
      assertThat(code(server, "local")).isEqualTo(Status.Code.OK);
      assertThat(code(server, "error")).isEqualTo(Status.Code.UNAVAILABLE);
      redis.startAgain();
      Await.holds("the store decides again", () -> code(server, "error") == Status.Code.OK);
    }
  }

  private static Status.Code code(EchoServer server, String kind) {
    try {
      server.say("a", EchoServer.headers("kind", kind), new EchoServer.ReceivedMetadata());
      return Status.Code.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus().getCode();
    }
  }
}
