package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.Failure.Kind;
import io.weir.rig.FaultyProxy;
import io.weir.rig.RedisProcess;
import io.weir.rig.RedisProgram;
import io.weir.rig.RespSocket;
import io.weir.rig.Until;
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
final class LinkFailureTest {
  static Stream<RedisProgram> programs() {
    return Stream.concat(
        Stream.of(RedisProgram.jar()),
        Stream.concat(RedisProgram.system().stream(), RedisProgram.named().stream()));
  }

  @ParameterizedTest
  @MethodSource("programs")
  void tellsOutOfMemory(RedisProgram program) {
    try (RedisProcess redis = RedisProcess.start(program, "maxmemory-policy noeviction");
        TestLink link = TestLink.connected(redis.url())) {
      redis.call("CONFIG", "SET", "maxmemory", "1");
      assertThat(link.count("k", 1).failure().kind()).isEqualTo(Kind.OUT_OF_MEMORY);
    }
  }

  @ParameterizedTest
  @MethodSource("programs")
  void leavesAReplicaUntilItIsAPrimary(RedisProgram program) throws Exception {
    try (RedisProcess redis = RedisProcess.start(program);
        TestLink link = TestLink.connected(redis.url())) {
      redis.call("REPLICAOF", "127.0.0.1", "1");
      assertThat(link.count("k", 1).failure().kind()).isEqualTo(Kind.READ_ONLY);
      Until.holds(
          "refused as a replica",
          () ->
              link.gate().lost.stream().filter(f -> f.message().contains("is a replica")).count()
                  > 1);
      assertThat(link.gate().lost).allMatch(f -> f.kind() == Kind.READ_ONLY);
      redis.call("REPLICAOF", "NO", "ONE");
      Until.holds("up again", () -> link.gate().isUp());
      assertThat(link.count("k", 1).answer()[0]).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @MethodSource("programs")
  void tellsWhatIsForbidden(RedisProgram program) throws Exception {
    try (RedisProcess redis =
        RedisProcess.start(
            program,
            "user default off",
            "user ann on >secret ~* &* +@all",
            "user bob on >secret ~* &* +@all -incrby",
            "user eve on >secret ~* &* +@all -evalsha",
            "user ida on >secret ~mine:* &* +@all -info -script -client")) {
      String at = "@127.0.0.1:" + redis.port();
      try (TestLink link = TestLink.connected("redis://ann:secret" + at)) {
        assertThat(link.count("k", 1).answer()[0]).isEqualTo(1);
      }
      try (TestLink link = TestLink.connected("redis://bob:secret" + at)) {
        assertThat(link.count("k", 1).failure().kind()).isEqualTo(Kind.FORBIDDEN);
      }
      try (TestLink link = TestLink.connected("redis://eve:secret" + at)) {
        assertThat(link.count("k", 1).failure().kind()).isEqualTo(Kind.FORBIDDEN);
      }
      // Neither INFO nor SCRIPT nor CLIENT: all that is needed is the calls themselves.
      try (TestLink link = TestLink.connected("redis://ida:secret" + at)) {
        assertThat(link.count("mine:k", 1).answer()[0]).isEqualTo(1);
        assertThat(link.count("k", 1).failure().kind()).isEqualTo(Kind.FORBIDDEN);
      }
      for (String who : List.of("redis://ann:wrong" + at, "redis://127.0.0.1:" + redis.port())) {
        try (TestLink link = new TestLink(who)) {
          Until.holds("told", () -> !link.gate().lost.isEmpty());
          Failure failure = link.gate().lastLost();
          assertThat(failure.kind()).as(failure.message()).isEqualTo(Kind.FORBIDDEN);
          assertThat(failure.message()).contains(redis.address()).doesNotContain("wrong");
          assertThat(link.count("k", 1).failure().kind()).isEqualTo(Kind.FORBIDDEN);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("programs")
  void tellsAPasswordThatIsNotWanted(RedisProgram program) {
    try (RedisProcess redis = RedisProcess.start(program);
        TestLink link = new TestLink("redis://:secret@127.0.0.1:" + redis.port())) {
      Until.holds("told", () -> !link.gate().lost.isEmpty());
      assertThat(link.gate().lastLost().kind()).isEqualTo(Kind.FORBIDDEN);
    }
  }

  @ParameterizedTest
  @MethodSource("programs")
  void tellsBusy(RedisProgram program) throws Exception {
    try (RedisProcess redis = RedisProcess.start(program, "lua-time-limit 20");
        TestLink link = TestLink.connected(redis.url())) {
      link.count("k", 1).answer();
      TestLink.Promise spin = link.send(Script.of("test-spin"), "k");
      Until.holds("it spins", () -> isBusy(redis));
      try (TestLink other = TestLink.connectedOrNot(redis.url())) {
        Until.holds("busy", () -> !other.gate().lost.isEmpty());
        assertThat(other.gate().lost).anyMatch(f -> f.kind() == Kind.BUSY);
        try (RespSocket killer = new RespSocket(redis.port())) {
          killer.call("SCRIPT", "KILL");
        }
        assertThat(spin.failure().kind()).isEqualTo(Kind.OTHER);
        Until.holds("up", () -> other.gate().isUp());
        assertThat(other.count("k", 1).answer()[0]).isEqualTo(2);
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
  void tellsLoading(RedisProgram program) throws Exception {
    try (RedisProcess redis = RedisProcess.start(program, "rdbcompression no")) {
      // It answers while it loads only once in two megabytes.
      redis.call("DEBUG", "POPULATE", "3000", "k", "3000");
      redis.call("SAVE");
      redis.call("CONFIG", "SET", "key-load-delay", "1000");
      redis.call("CONFIG", "REWRITE");
      redis.kill();
      Thread start = new Thread(redis::startAgain);
      start.start();
      try (TestLink link = new TestLink(redis.url())) {
        Until.holds(
            "loading", () -> link.gate().lost.stream().anyMatch(f -> f.kind() == Kind.LOADING));
        Until.holds("up", () -> link.gate().isUp());
        link.count("c", 1).answer();
      }
      start.join();
    }
  }

  @ParameterizedTest
  @MethodSource("programs")
  void tellsWhatScriptsThrow(RedisProgram program) {
    try (RedisProcess redis = RedisProcess.start(program);
        TestLink link = TestLink.connected(redis.url())) {
      Script thrown = Script.of("test-throw");
      Script refused = Script.of("test-refuse");
      assertThat(link.send(thrown, "k", "WEIRFORMAT 9").failure().kind())
          .isEqualTo(Kind.NEWER_FORMAT);
      assertThat(link.send(refused, "k", "WEIRFORMAT 9").failure().kind())
          .isEqualTo(Kind.NEWER_FORMAT);
      assertThat(link.send(thrown, "k", "something").failure().kind()).isEqualTo(Kind.OTHER);
      assertThat(link.send(refused, "k", "something").failure().kind()).isEqualTo(Kind.OTHER);
    }
  }

  @Test
  void startsWithoutRedisAndConnectsWhenItComes() throws Exception {
    try (RedisProcess redis = RedisProcess.start()) {
      redis.kill();
      try (TestLink link = new TestLink(redis.url())) {
        assertThat(link.count("k", 1).failure().kind()).isEqualTo(Kind.DISCONNECTED);
        Until.holds("tried more than once", () -> link.gate().lost.size() > 2);
        assertThat(link.gate().lastLost())
            .satisfies(f -> assertThat(f.kind()).isEqualTo(Kind.DISCONNECTED))
            .satisfies(f -> assertThat(f.message()).contains(redis.address(), "refused"));
        redis.startAgain();
        link.awaitUp();
        assertThat(link.count("k", 1).answer()[0]).isEqualTo(1);
      }
    }
  }

  @Test
  void doesNotWaitForAServerThatHangsWhenItConnects() throws Exception {
    try (RedisProcess redis = RedisProcess.start()) {
      redis.suspend();
      try (TestLink link = new TestLink(redis.url() + "?connect_timeout=200ms")) {
        Until.holds("given up twice", () -> link.gate().lost.size() >= 2);
        assertThat(link.gate().lost).allMatch(f -> f.kind() == Kind.TIMEOUT);
        redis.resume();
        link.awaitUp();
        assertThat(link.count("k", 1).answer()[0]).isEqualTo(1);
      }
    }
  }

  @Test
  void replacesAConnectionThatIsSuspected() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        FaultyProxy proxy = new FaultyProxy(redis.port());
        TestLink link = TestLink.connected(proxy.url() + "?connect_timeout=200ms")) {
      link.count("k", 1).answer();
      proxy.both(FaultyProxy.Fault.SWALLOW);
      TestLink.Promise lost = link.count("k", 1);
      assertThat(lost.hasEnded()).isFalse();
      link.link.suspect(TestLink.bytes("k"));
      assertThat(lost.failure().kind()).isEqualTo(Kind.TIMEOUT);
      Until.holds("told", () -> !link.gate().lost.isEmpty());
      proxy.heal();
      link.awaitUp();
      assertThat(link.count("k", 1).answer()[0]).isGreaterThan(1);
    }
  }

  @Test
  void dropsAConnectionThatSpeaksSomethingElse() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        FaultyProxy proxy = new FaultyProxy(redis.port());
        TestLink link = TestLink.connected(proxy.url())) {
      proxy.toClient(FaultyProxy.Fault.cutAfter(3));
      assertThat(link.count("k", 1).failure().kind()).isEqualTo(Kind.DISCONNECTED);
      proxy.heal();
      Until.holds("again", () -> link.gate().connections() >= 2 && link.gate().isUp());
      assertThat(link.count("k", 1).answer()[0]).isEqualTo(2);
    }
  }

  @Test
  void failsNewCallsBeyondItsBoundWhileRedisHangs() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        TestLink link = TestLink.connected(redis.url())) {
      redis.suspend();
      List<TestLink.Promise> sent = new ArrayList<>();
      for (int i = 0; i < 70_000; i++) {
        sent.add(link.count("k", 1));
      }
      assertThat(sent.get(sent.size() - 1).failure().kind()).isEqualTo(Kind.TIMEOUT);
      redis.resume();
      assertThat(sent.get(0).answer()[0]).isEqualTo(1);
    }
  }

  @Test
  void doesNotSendACallThatNobodyWaitsFor() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        TestLink link = TestLink.connected(redis.url())) {
      TestLink.Promise late = new TestLink.Promise(TestLink.COUNT, "k", "1");
      late.fail(new Failure(Kind.TIMEOUT, "late"));
      link.link.send(late);
      assertThat(link.count("k", 1).answer()[0]).isEqualTo(1);
    }
  }

  @Test
  void closesWithoutATrace() throws Exception {
    try (RedisProcess redis = RedisProcess.start()) {
      Set<Thread> before = threads();
      for (int i = 0; i < 20; i++) {
        try (TestLink link = TestLink.connected(redis.url())) {
          link.count("k", 1).answer();
          if (i % 2 == 0) {
            redis.suspend();
            TestLink.Promise inFlight = link.count("k", 1);
            link.close();
            assertThat(inFlight.failure().kind()).isEqualTo(Kind.DISCONNECTED);
            redis.resume();
          }
          link.close();
          assertThat(link.count("k", 1).failure().kind()).isEqualTo(Kind.DISCONNECTED);
        }
      }
      Until.holds(
          "no thread more than before",
          () -> {
            Set<Thread> more = threads();
            more.removeAll(before);
            return more.isEmpty();
          });
      Until.holds(
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
        new TestLink(redis.url()).close();
      }
      redis.resume();
      Until.holds(
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
  void usesMoreConnectionsIfAsked() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        TestLink link = TestLink.connected(redis.url() + "?connections=3&client_name=many")) {
      Until.holds(
          "three connections",
          () ->
              ((String) redis.call("CLIENT", "LIST"))
                      .lines()
                      .filter(line -> line.contains("name=many"))
                      .count()
                  == 3);
      assertThat(link.gate().connections()).isEqualTo(1);
      for (int i = 1; i <= 100; i++) {
        assertThat(link.count("k" + i % 10, 1).answer()[0]).isEqualTo((i + 9) / 10);
      }
    }
  }
}
