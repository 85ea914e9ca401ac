package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.RedisFailure.Kind;
import io.weir.rig.Await;
import io.weir.rig.FaultyProxy;
import io.weir.rig.RedisProcess;
import io.weir.rig.RedisProgram;
import io.weir.rig.RespSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What real servers do to a link. */
@Tag("slow")
final class TransportFailureTest {
  static Stream<RedisProgram> programs() {
    return Stream.concat(
        Stream.of(RedisProgram.jar()),
        Stream.concat(RedisProgram.system().stream(), RedisProgram.named().stream()));
  }

  @ParameterizedTest
  @MethodSource("programs")
  void reportsOutOfMemory(RedisProgram program) {
    try (RedisProcess redis = RedisProcess.start(program, "maxmemory-policy noeviction");
        TestTransport link = TestTransport.connected(redis.url())) {
      redis.call("CONFIG", "SET", "maxmemory", "1");
      assertThat(link.count("k", 1).redisFailure().kind()).isEqualTo(Kind.OUT_OF_MEMORY);
    }
  }

  @ParameterizedTest
  @MethodSource("programs")
  void leavesAReplicaUntilItIsAPrimary(RedisProgram program) throws Exception {
    try (RedisProcess redis = RedisProcess.start(program);
        TestTransport link = TestTransport.connected(redis.url())) {
      redis.call("REPLICAOF", "127.0.0.1", "1");
      assertThat(link.count("k", 1).redisFailure().kind()).isEqualTo(Kind.READ_ONLY);
      Await.holds(
          "refused as a replica",
          () ->
              link.breaker().lost.stream().filter(f -> f.message().contains("is a replica")).count()
                  > 1);
      assertThat(link.breaker().lost).allMatch(f -> f.kind() == Kind.READ_ONLY);
      redis.call("REPLICAOF", "NO", "ONE");
      Await.holds("up again", () -> link.breaker().isUp());
      assertThat(link.count("k", 1).result()[0]).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @MethodSource("programs")
  void reportsForbiddenCommands(RedisProgram program) throws Exception {
    try (RedisProcess redis =
        RedisProcess.start(
            program,
            "user default off",
            "user ann on >secret ~* &* +@all",
            "user bob on >secret ~* &* +@all -incrby",
            "user eve on >secret ~* &* +@all -evalsha",
            "user ida on >secret ~mine:* &* +@all -info -script -client")) {
      String at = "@127.0.0.1:" + redis.port();
      try (TestTransport link = TestTransport.connected("redis://ann:secret" + at)) {
        assertThat(link.count("k", 1).result()[0]).isEqualTo(1);
      }
      try (TestTransport link = TestTransport.connected("redis://bob:secret" + at)) {
        assertThat(link.count("k", 1).redisFailure().kind()).isEqualTo(Kind.FORBIDDEN);
      }
      try (TestTransport link = TestTransport.connected("redis://eve:secret" + at)) {
        assertThat(link.count("k", 1).redisFailure().kind()).isEqualTo(Kind.FORBIDDEN);
      }
      // Neither INFO nor SCRIPT nor CLIENT: all that is needed is the calls themselves.
      try (TestTransport link = TestTransport.connected("redis://ida:secret" + at)) {
        assertThat(link.count("mine:k", 1).result()[0]).isEqualTo(1);
        assertThat(link.count("k", 1).redisFailure().kind()).isEqualTo(Kind.FORBIDDEN);
      }
      for (String url : List.of("redis://ann:wrong" + at, "redis://127.0.0.1:" + redis.port())) {
        try (TestTransport link = new TestTransport(url)) {
          Await.holds("reported", () -> !link.breaker().lost.isEmpty());
          RedisFailure redisFailure = link.breaker().lastLost();
          assertThat(redisFailure.kind()).as(redisFailure.message()).isEqualTo(Kind.FORBIDDEN);
          assertThat(redisFailure.message()).contains(redis.address()).doesNotContain("wrong");
          assertThat(link.count("k", 1).redisFailure().kind()).isEqualTo(Kind.FORBIDDEN);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("programs")
  void reportsUnexpectedPassword(RedisProgram program) {
    try (RedisProcess redis = RedisProcess.start(program);
        TestTransport link = new TestTransport("redis://:secret@127.0.0.1:" + redis.port())) {
      Await.holds("reported", () -> !link.breaker().lost.isEmpty());
      assertThat(link.breaker().lastLost().kind()).isEqualTo(Kind.FORBIDDEN);
    }
  }

  @ParameterizedTest
  @MethodSource("programs")
  void reportsBusyServer(RedisProgram program) throws Exception {
    try (RedisProcess redis = RedisProcess.start(program, "lua-time-limit 20");
        TestTransport link = TestTransport.connected(redis.url())) {
      link.count("k", 1).result();
      TestTransport.Promise spin = link.send(Script.of("test-spin"), "k");
      Await.holds("it spins", () -> isBusy(redis));
      try (TestTransport other = TestTransport.connectedOrNot(redis.url())) {
        Await.holds("busy", () -> !other.breaker().lost.isEmpty());
        assertThat(other.breaker().lost).anyMatch(f -> f.kind() == Kind.BUSY);
        try (RespSocket killer = new RespSocket(redis.port())) {
          killer.call("SCRIPT", "KILL");
        }
        assertThat(spin.redisFailure().kind()).isEqualTo(Kind.OTHER);
        Await.holds("up", () -> other.breaker().isUp());
        assertThat(other.count("k", 1).result()[0]).isEqualTo(2);
      }
    }
  }

  private static boolean isBusy(RedisProcess redis) {
    try (RespSocket socket = new RespSocket(redis.port())) {
      socket.call("PING");
      return false;
    } catch (RespSocket.RedisError e) {
      return String.valueOf(e.getMessage()).startsWith("BUSY");
    }
  }

  @ParameterizedTest
  @MethodSource("programs")
  void reportsLoadingServer(RedisProgram program) throws Exception {
    try (RedisProcess redis = RedisProcess.start(program, "rdbcompression no")) {
      // While it loads, it replies only once in two megabytes.
      redis.call("DEBUG", "POPULATE", "3000", "k", "3000");
      redis.call("SAVE");
      redis.call("CONFIG", "SET", "key-load-delay", "1000");
      redis.call("CONFIG", "REWRITE");
      redis.kill();
      Thread start = new Thread(redis::startAgain);
      start.start();
      try (TestTransport link = new TestTransport(redis.url())) {
        Await.holds(
            "loading", () -> link.breaker().lost.stream().anyMatch(f -> f.kind() == Kind.LOADING));
        Await.holds("up", () -> link.breaker().isUp());
        link.count("c", 1).result();
      }
      start.join();
    }
  }

  @ParameterizedTest
  @MethodSource("programs")
  void reportsErrorsOfScripts(RedisProgram program) {
    try (RedisProcess redis = RedisProcess.start(program);
        TestTransport link = TestTransport.connected(redis.url())) {
      Script thrown = Script.of("test-throw");
      Script refused = Script.of("test-refuse");
      assertThat(link.send(thrown, "k", "WEIRFORMAT 9").redisFailure().kind())
          .isEqualTo(Kind.NEWER_FORMAT);
      assertThat(link.send(refused, "k", "WEIRFORMAT 9").redisFailure().kind())
          .isEqualTo(Kind.NEWER_FORMAT);
      assertThat(link.send(thrown, "k", "something").redisFailure().kind()).isEqualTo(Kind.OTHER);
      assertThat(link.send(refused, "k", "something").redisFailure().kind()).isEqualTo(Kind.OTHER);
    }
  }

  @Test
  void startsWithoutRedisAndConnectsWhenItComes() throws Exception {
    try (RedisProcess redis = RedisProcess.start()) {
      redis.kill();
      try (TestTransport link = new TestTransport(redis.url())) {
        assertThat(link.count("k", 1).redisFailure().kind()).isEqualTo(Kind.DISCONNECTED);
        Await.holds("tried more than once", () -> link.breaker().lost.size() > 2);
        assertThat(link.breaker().lastLost())
            .satisfies(f -> assertThat(f.kind()).isEqualTo(Kind.DISCONNECTED))
            .satisfies(f -> assertThat(f.message()).contains(redis.address(), "refused"));
        redis.startAgain();
        link.awaitUp();
        assertThat(link.count("k", 1).result()[0]).isEqualTo(1);
      }
    }
  }

  @Test
  void doesNotWaitForAServerThatHangsWhenItConnects() throws Exception {
    try (RedisProcess redis = RedisProcess.start()) {
      redis.suspend();
      try (TestTransport link = new TestTransport(redis.url() + "?connect_timeout=200ms")) {
        Await.holds("given up twice", () -> link.breaker().lost.size() >= 2);
        assertThat(link.breaker().lost).allMatch(f -> f.kind() == Kind.TIMEOUT);
        redis.resume();
        link.awaitUp();
        assertThat(link.count("k", 1).result()[0]).isEqualTo(1);
      }
    }
  }

  @Test
  void replacesAConnectionThatIsSuspected() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        FaultyProxy proxy = new FaultyProxy(redis.port());
        TestTransport link = TestTransport.connected(proxy.url() + "?connect_timeout=200ms")) {
      link.count("k", 1).result();
      proxy.both(FaultyProxy.Fault.SWALLOW);
      TestTransport.Promise lost = link.count("k", 1);
      assertThat(lost.hasEnded()).isFalse();
      link.redisTransport.suspect(TestTransport.bytes("k"));
      assertThat(lost.redisFailure().kind()).isEqualTo(Kind.TIMEOUT);
      Await.holds("reported", () -> !link.breaker().lost.isEmpty());
      proxy.heal();
      link.awaitUp();
      assertThat(link.count("k", 1).result()[0]).isGreaterThan(1);
    }
  }

  @Test
  void dropsAConnectionThatSpeaksSomethingElse() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        FaultyProxy proxy = new FaultyProxy(redis.port());
        TestTransport link = TestTransport.connected(proxy.url())) {
      proxy.toClient(FaultyProxy.Fault.cutAfter(3));
      assertThat(link.count("k", 1).redisFailure().kind()).isEqualTo(Kind.DISCONNECTED);
      proxy.heal();
      Await.holds("again", () -> link.breaker().connections() >= 2 && link.breaker().isUp());
      assertThat(link.count("k", 1).result()[0]).isEqualTo(2);
    }
  }

  @Test
  void failsNewCallsBeyondItsBoundWhileRedisHangs() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        TestTransport link = TestTransport.connected(redis.url())) {
      redis.suspend();
      List<TestTransport.Promise> sent = new ArrayList<>();
      for (int i = 0; i < 70_000; i++) {
        sent.add(link.count("k", 1));
      }
      assertThat(sent.get(sent.size() - 1).redisFailure().kind()).isEqualTo(Kind.TIMEOUT);
      redis.resume();
      assertThat(sent.get(0).result()[0]).isEqualTo(1);
    }
  }

  @Test
  void doesNotSendCallThatHasTimedOut() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        TestTransport link = TestTransport.connected(redis.url())) {
      TestTransport.Promise late = new TestTransport.Promise(TestTransport.COUNT, "k", "1");
      late.fail(new RedisFailure(Kind.TIMEOUT, "late"));
      link.redisTransport.send(late);
      assertThat(link.count("k", 1).result()[0]).isEqualTo(1);
    }
  }

  @Test
  void closesWithoutATrace() throws Exception {
    try (RedisProcess redis = RedisProcess.start()) {
      Set<Thread> before = threads();
      for (int i = 0; i < 20; i++) {
        try (TestTransport link = TestTransport.connected(redis.url())) {
          link.count("k", 1).result();
          if (i % 2 == 0) {
            redis.suspend();
            TestTransport.Promise inFlight = link.count("k", 1);
            link.close();
            assertThat(inFlight.redisFailure().kind()).isEqualTo(Kind.DISCONNECTED);
            redis.resume();
          }
          link.close();
          assertThat(link.count("k", 1).redisFailure().kind()).isEqualTo(Kind.DISCONNECTED);
        }
      }
      Await.holds(
          "no thread more than before",
          () -> {
            Set<Thread> more = threads();
            more.removeAll(before);
            return more.isEmpty();
          });
      Await.holds(
          "no connection but the rig's",
          () -> redis.info("clients", "connected_clients").equals("1"));
    }
  }

  @Test
  void closesWhileItConnects() throws Exception {
    try (RedisProcess redis = RedisProcess.start()) {
      Set<Thread> before = threads();
      redis.suspend();
      for (int i = 0; i < 10; i++) {
        new TestTransport(redis.url()).close();
      }
      redis.resume();
      Await.holds(
          "no thread more than before",
          () -> {
            Set<Thread> more = threads();
            more.removeAll(before);
            return more.isEmpty();
          });
    }
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !thread.getName().startsWith("process reaper"))
        .filter(Thread::isAlive)
        .collect(Collectors.toSet());
  }

  @Test
  void usesAsManyConnectionsAsConfigured() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        TestTransport link =
            TestTransport.connected(redis.url() + "?connections=3&client_name=many")) {
      Await.holds(
          "three connections",
          () ->
              ((String) redis.call("CLIENT", "LIST"))
                      .lines()
                      .filter(line -> line.contains("name=many"))
                      .count()
                  == 3);
      assertThat(link.breaker().connections()).isEqualTo(1);
      for (int i = 1; i <= 100; i++) {
        assertThat(link.count("k" + i % 10, 1).result()[0]).isEqualTo((i + 9) / 10);
      }
    }
  }
}
