package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.RedisFailure.Kind;
import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import io.weir.rig.RedisProgram;
import io.weir.rig.SharedRedis;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Calls through a link to one real server. */
final class PrimaryTransportTest {
  private static final RedisProcess REDIS = SharedRedis.empty();

  @Test
  void returnsTheIntegersOfTheScriptInOneRow() throws Exception {
    try (TestTransport link = TestTransport.connected(REDIS.url())) {
      assertThat(link.count("answers", 21).result()).containsExactly(21, 21, -7, 42);
      assertThat(link.count("answers", -30).result()).containsExactly(-9, -30, -7, -18);
    }
  }

  @Test
  void keepsTheOrderOfOneThread() throws Exception {
    try (TestTransport link = TestTransport.connected(REDIS.url())) {
      List<TestTransport.Promise> sent = new ArrayList<>();
      for (int i = 0; i < 10_000; i++) {
        sent.add(link.count("order", 1));
      }
      for (int i = 0; i < sent.size(); i++) {
        assertThat(sent.get(i).result()[0]).isEqualTo(i + 1);
      }
    }
  }

  @Test
  void completesEveryCallOfManyThreadsOnce() throws Exception {
    int threads = 8;
    int each = 12_500;
    AtomicInteger completed = new AtomicInteger();
    AtomicInteger failed = new AtomicInteger();
    try (TestTransport link = TestTransport.connected(REDIS.url())) {
      List<Thread> crew = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        String key = "crew" + t;
        Thread thread =
            new Thread(
                () -> {
                  for (int i = 0; i < each; i++) {
                    link.redisTransport.send(
                        new TestTransport.Promise(TestTransport.COUNT, key, "1") {
                          @Override
                          void onReply(long[] reply) {
                            completed.incrementAndGet();
                          }

                          @Override
                          void onFailure(RedisFailure redisFailure) {
                            failed.incrementAndGet();
                          }
                        });
                    // The link bounds what may be in flight; stay below.
                    while (i % 1000 == 0 && i * 1L * threads - completed.get() > 30_000) {
                      Thread.onSpinWait();
                    }
                  }
                });
        crew.add(thread);
        thread.start();
      }
      for (Thread thread : crew) {
        thread.join();
      }
      Await.holds("all ended", () -> completed.get() + failed.get() == threads * each);
      assertThat(failed).hasValue(0);
      for (int t = 0; t < threads; t++) {
        assertThat(REDIS.call("GET", "crew" + t)).isEqualTo(Integer.toString(each));
      }
    }
  }

  @Test
  void reportsVersionAndMemoryOfTheServer() throws Exception {
    try (TestTransport link = TestTransport.connected(REDIS.url())) {
      assertThat(link.reports).hasSize(1);
      ServerReport report = link.reports.get(0);
      assertThat(report.server()).isEqualTo(REDIS.address());
      assertThat(report.version()).isEqualTo(RedisProgram.chosen().version());
      assertThat(report.maxMemory()).isZero();
      assertThat(report.policy()).isEqualTo("noeviction");
      assertThat(report.run()).isEqualTo(REDIS.info("server", "run_id"));
      assertThat(report.uptimeSeconds()).isNotNegative();
      assertThat(report.replicas()).isZero();
    }
  }

  @Test
  void loadsTheScriptsWhenItConnects() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        TestTransport link = TestTransport.connected(redis.url())) {
      link.count("k", 1).result();
      assertThat(redis.calls("eval")).isZero();
      assertThat(redis.calls("evalsha")).isEqualTo(1);
    }
  }

  @Test
  void sendsAScriptAgainThatRedisHasForgotten() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        TestTransport link = TestTransport.connected(redis.url())) {
      List<TestTransport.Promise> sent = new ArrayList<>();
      for (int i = 0; i < 5_000; i++) {
        sent.add(link.count("k", 1));
        if (i % 500 == 0) {
          redis.call("SCRIPT", "FLUSH");
        }
      }
      for (TestTransport.Promise call : sent) {
        call.result();
      }
      assertThat(redis.call("GET", "k")).isEqualTo("5000");
      assertThat(redis.calls("eval")).isPositive();
    }
  }

  @Test
  void givesUpAConnectionWithAnInvalidReply() throws Exception {
    try (TestTransport link = TestTransport.connected(REDIS.url())) {
      TestTransport.Promise text = link.send(Script.of("test-text"), "k");
      assertThat(text.redisFailure().kind()).isEqualTo(Kind.OTHER);
      Await.holds(
          "connected again", () -> link.breaker().connections() >= 2 && link.breaker().isUp());
      assertThat(link.count("place", 1).result()[0]).isEqualTo(1);
    }
  }

  @Test
  void comesBackAfterAKill() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        TestTransport link = TestTransport.connected(redis.url())) {
      redis.suspend();
      TestTransport.Promise inFlight = link.count("k", 1);
      redis.kill();
      assertThat(inFlight.redisFailure().kind()).isEqualTo(Kind.DISCONNECTED);
      Await.holds("the breaker is notified", () -> !link.breaker().isUp());
      assertThat(link.count("k", 1).redisFailure().kind()).isEqualTo(Kind.DISCONNECTED);
      redis.startAgainEmpty();
      Await.holds(
          "connected again", () -> link.breaker().connections() >= 2 && link.breaker().isUp());
      assertThat(link.count("k", 1).result()[0]).isEqualTo(1);
    }
  }
}
