package io.weir.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The rig itself. */
@Timeout(60)
class RedisProcessTest {
  @Test
  void repliesToPing() {
    long start = System.nanoTime();
    try (RedisProcess redis = RedisProcess.start()) {
      System.out.println(
          "started " + redis + " in " + (System.nanoTime() - start) / 1_000_000 + " ms");
      assertThat(redis.call("SET", "kéy", "välue")).isEqualTo("OK");
      assertThat(redis.call("GET", "kéy")).isEqualTo("välue");
      assertThat(redis.call("GET", "none")).isNull();
      assertThat(redis.call("EVAL", "return {1, 'two', {3}}", "0"))
          .isEqualTo(List.of(1L, "two", List.of(3L)));
      assertThatThrownBy(() -> redis.call("LPUSH", "kéy", "1")).hasMessageStartingWith("WRONGTYPE");
      assertThat(redis.info("server", "redis_version")).isEqualTo(redis.program().version());
      assertThat(redis.calls("get")).isEqualTo(2);
      assertThat(Files.exists(redis.socket())).isTrue();
    }
  }

  @Test
  void hangsWhileSuspended() {
    try (RedisProcess redis = RedisProcess.start();
        RespSocket socket = new RespSocket(redis.port())) {
      assertThat(socket.call("PING")).isEqualTo("PONG");
      redis.suspend();
      socket.setTimeout(Duration.ofMillis(100));
      assertThatThrownBy(() -> socket.call("PING")).isInstanceOf(UncheckedIOException.class);
      redis.resume();
      assertThat(redis.call("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void comesBackOnItsPortWithOrWithoutItsData() {
    try (RedisProcess redis = RedisProcess.start()) {
      redis.call("SET", "key", "value");
      redis.restartWithData();
      assertThat(redis.call("GET", "key")).isEqualTo("value");
      redis.restartEmpty();
      assertThat(redis.call("GET", "key")).isNull();
      redis.suspend();
      redis.stop();
      assertThat(redis.isRunning()).isFalse();
      redis.startAgain();
      assertThat(redis.call("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void leavesNothingBehind() {
    Path directory;
    try (RedisProcess redis = RedisProcess.start("maxmemory 5mb", "requirepass secret")) {
      directory = redis.directory();
      assertThat(redis.call("CONFIG", "GET", "maxmemory"))
          .isEqualTo(List.of("maxmemory", "5242880"));
    }
    assertThat(directory).doesNotExist();
  }

  @Test
  void saysWhyItDidNotStart() {
    assertThatThrownBy(() -> RedisProcess.start("no-such-option 1"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no-such-option");
  }

  /** Even {@code kill -9} of the JVM leaves no server behind. */
  @Test
  void noServerOutlivesItsJvm() throws IOException {
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Forgetful.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String[] words = jvm.inputReader().readLine().split(" ");
    ProcessHandle server = ProcessHandle.of(Long.parseLong(words[0])).orElseThrow();
    jvm.destroyForcibly();
    Await.holds("the server is gone", () -> !server.isAlive());
    Await.holds("the directory is gone", () -> !Files.exists(Path.of(words[1])));
  }

  /** Starts a server, and never ends. */
  static final class Forgetful {
    private Forgetful() {}

    public static void main(String[] args) throws InterruptedException {
      RedisProcess closed = RedisProcess.start();
      closed.close();
      RedisProcess redis = RedisProcess.start();
      redis.suspend();
      System.out.println(redis.pid() + " " + redis.directory());
      Thread.sleep(60_000);
    }
  }

  @Test
  void theSystemsServerWorksToo() {
    Optional<RedisProgram> system = RedisProgram.system();
    assumeTrue(system.isPresent(), "no redis-server is installed");
    try (RedisProcess redis = RedisProcess.start(system.get())) {
      assertThat(redis.call("PING")).isEqualTo("PONG");
    }
  }
}
