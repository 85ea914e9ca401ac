package io.weir.redis;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Await;
import io.weir.rig.CapturedLog;
import io.weir.rig.CertificateAuthority;
import io.weir.rig.FaultyProxy;
import io.weir.rig.FaultyProxy.AcceptMode;
import io.weir.rig.FaultyProxy.Fault;
import io.weir.rig.RedisProcess;
import io.weir.rig.RedisProgram;
import io.weir.rig.RespSocket;
import java.nio.file.Files;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One Redis, and what can happen to it, for real. */
@Tag("slow")
@Timeout(300)
class ChaosTest {
  @Test
  void survivesKilledRedis() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        OutageScenario outageScenario =
            new OutageScenario("kill -9", OutageScenario.settings(redis.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      redis.kill();
      outageScenario.awaitFallback().phase("recovery");
      redis.startAgain();
      outageScenario.awaitRedis().stop().verifyLimits();
    }
  }

  @Test
  void survivesSuspendedRedis() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        OutageScenario outageScenario =
            new OutageScenario("SIGSTOP", OutageScenario.settings(redis.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      redis.suspend();
      outageScenario.awaitFallback().goOn().phase("recovery");
      redis.resume();
      outageScenario.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  @Test
  void survivesRedisSuspendedBeyondEveryTimeout() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        OutageScenario outageScenario =
            new OutageScenario("SIGSTOP for 5 s", OutageScenario.settings(redis.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      redis.suspend();
      Thread.sleep(5_000);
      outageScenario.awaitFallback().phase("recovery");
      redis.resume();
      outageScenario.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  @Test
  void survivesRedisRestartedEmpty() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        OutageScenario outageScenario =
            new OutageScenario("restart empty", OutageScenario.settings(redis.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      redis.restartEmpty();
      outageScenario.awaitRedis().stop().verifyLimits();
    }
  }

  @Test
  void survivesPausedRedis() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        OutageScenario outageScenario =
            new OutageScenario("CLIENT PAUSE", OutageScenario.settings(redis.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      redis.call("CLIENT", "PAUSE", "6000");
      outageScenario
          .awaitFallback()
          .phase("recovery")
          .awaitRedis()
          .stop()
          .verifyLedger()
          .verifyLimits();
    }
  }

  @Test
  void survivesSleepingRedis() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        OutageScenario outageScenario =
            new OutageScenario("DEBUG SLEEP", OutageScenario.settings(redis.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      redis.call("DEBUG", "SLEEP", "4");
      outageScenario
          .awaitFallback()
          .phase("recovery")
          .awaitRedis()
          .stop()
          .verifyLedger()
          .verifyLimits();
    }
  }

  /** An endless script of another client: first Redis is silent, then it replies BUSY. */
  @Test
  void survivesRedisBusyWithASlowScript() throws Exception {
    try (RedisProcess redis = RedisProcess.start("lua-time-limit 300");
        OutageScenario outageScenario =
            new OutageScenario("slow script", OutageScenario.settings(redis.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      Thread script =
          new Thread(
              () -> {
                try (RespSocket other = redis.connect()) {
                  other.call("EVAL", "while true do end", "0");
                } catch (RespSocket.RedisError killed) {
                  // As planned.
                }
              });
      script.start();
      outageScenario.awaitFallback();
      Thread.sleep(1_000);
      outageScenario.phase("busy").awaitFallback().phase("recovery");
      redis.call("SCRIPT", "KILL");
      script.join();
      outageScenario.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  /** Every check is still decided. */
  @Test
  void survivesFlushedScripts() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        OutageScenario outageScenario =
            new OutageScenario("SCRIPT FLUSH", RedisSuite.patient(redis.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      for (int i = 0; i < 20; i++) {
        redis.call("SCRIPT", "FLUSH");
        outageScenario.goOn();
      }
      outageScenario.verifyAllDecided().stop().verifyLedger().verifyLimits();
    }
  }

  /** What was the primary has become a replica of another, and says so. */
  @Test
  void survivesReadOnlyRedis() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        RedisProcess other = RedisProcess.start();
        OutageScenario outageScenario =
            new OutageScenario("READONLY", OutageScenario.settings(redis.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      redis.call("REPLICAOF", "127.0.0.1", Integer.toString(other.port()));
      outageScenario.awaitFallback().phase("recovery");
      redis.call("REPLICAOF", "NO", "ONE");
      outageScenario.awaitRedis().stop().verifyLimits();
    }
  }

  @Test
  void survivesRedisOutOfMemory() throws Exception {
    try (RedisProcess redis = RedisProcess.start("maxmemory-policy noeviction");
        OutageScenario outageScenario =
            new OutageScenario("out of memory", OutageScenario.settings(redis.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      redis.call("CONFIG", "SET", "maxmemory", "1");
      outageScenario.awaitFallback().phase("recovery");
      redis.call("CONFIG", "SET", "maxmemory", "0");
      outageScenario.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  @Test
  void survivesChangedPassword() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        OutageScenario outageScenario =
            OutageScenario.openedInOutage(
                "wrong password", OutageScenario.settings("redis://:old@" + redis.address()))) {
      outageScenario.awaitFallback().phase("corrected");
      redis.call("ACL", "SETUSER", "default", "resetpass", ">old");
      outageScenario.awaitRedis().phase("changed");
      redis.call("ACL", "SETUSER", "default", "resetpass", ">new");
      redis.call("CLIENT", "KILL", "TYPE", "normal");
      outageScenario.awaitFallback().phase("recovery");
      redis.call("ACL", "SETUSER", "default", "resetpass", ">old");
      outageScenario.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  /** Connected, but not allowed to run scripts any more. */
  @Test
  void survivesRevokedPermissions() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        OutageScenario outageScenario =
            new OutageScenario("NOPERM", OutageScenario.settings(redis.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      redis.call("ACL", "SETUSER", "default", "-@scripting");
      outageScenario.awaitFallback().phase("recovery");
      redis.call("ACL", "SETUSER", "default", "+@all");
      outageScenario.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  /** A server with an untrusted certificate at first, and later with its own. */
  @Test
  void survivesUntrustedCertificate() throws Exception {
    CertificateAuthority ours = new CertificateAuthority("ours");
    CertificateAuthority.Identity server = new CertificateAuthority("stranger").issue("server");
    try (RedisProcess redis = RedisProcess.startWithTls(RedisProgram.jar(), server, ours, "no");
        OutageScenario outageScenario =
            OutageScenario.openedInOutage(
                "TLS",
                OutageScenario.settings(
                    "rediss://127.0.0.1:" + redis.tlsPort() + "?ca=" + ours.certificate()))) {
      outageScenario.awaitFallback().goOn().phase("trusted");
      replace(redis, server, ours.issue("server"));
      outageScenario.awaitRedis().phase("expired");
      replace(redis, server, ours.issueExpired("server"));
      outageScenario.awaitFallback().goOn().phase("recovery");
      replace(redis, server, ours.issue("server"));
      outageScenario.awaitRedis().stop().verifyLimits();
    }
  }

  private static void replace(
      RedisProcess redis,
      CertificateAuthority.Identity shown,
      CertificateAuthority.Identity instead)
      throws Exception {
    redis.kill();
    Files.copy(instead.certificate(), shown.certificate(), REPLACE_EXISTING);
    Files.copy(instead.key(), shown.key(), REPLACE_EXISTING);
    redis.startAgain();
  }

  /** Buckets that are evicted are limits that are forgotten: it is said at the start. */
  @Test
  void evictsKeysWhenItsMemoryIsFull() throws Exception {
    try (CapturedLog log = new CapturedLog("io.weir.redis");
        RedisProcess redis = RedisProcess.start("maxmemory 3mb", "maxmemory-policy allkeys-lru");
        OutageScenario outageScenario =
            new OutageScenario("eviction", RedisSuite.patient(redis.url()))) {
      outageScenario.awaitRedis();
      Await.holds(
          () -> "warned: " + log.lines(),
          Duration.ofSeconds(30),
          () -> log.lines().stream().anyMatch(line -> line.contains("allkeys-lru")));
      outageScenario.phase("trouble");
      for (int i = 0; i < 2000; i++) {
        redis.call("SET", "filler-" + i, "x".repeat(5000));
      }
      assertThat(Long.parseLong(redis.info("stats", "evicted_keys"))).isPositive();
      outageScenario.goOn();
      outageScenario.verifyAllDecided();
      outageScenario.phase("connected again");
      redis.call("CLIENT", "KILL", "TYPE", "normal");
      Await.holds("lost", () -> outageScenario.store().status().shards().get(0).changes() > 1);
      outageScenario.awaitRedis().stop().verifyLimits();
      assertThat(log.lines()).filteredOn(line -> line.contains("allkeys-lru")).hasSize(1);
    }
  }

  /** One line when it begins and one when it is over, however many decisions there were. */
  @Test
  void logsAnOutageOnce() throws Exception {
    try (CapturedLog log = new CapturedLog("io.weir.redis");
        RedisProcess redis = RedisProcess.start();
        OutageScenario outageScenario =
            new OutageScenario("log lines", RedisSuite.patient(redis.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      log.lines().clear();
      redis.kill();
      outageScenario.awaitFallback().goOn().goOn();
      Await.holds("it is said", () -> !log.lines().isEmpty());
      assertThat(log.lines()).hasSize(1).allMatch(line -> line.startsWith("WARNING"));
      outageScenario.phase("recovery");
      redis.startAgain();
      outageScenario.awaitRedis().stop();
      Await.holds("that is said too", () -> log.lines().size() > 1);
      assertThat(log.lines().get(1)).startsWith("INFO").contains("answers again");
    }
  }

  /** The other side has lost its power: nothing arrives, not even the end of the connection. */
  @Test
  void survivesHalfOpenConnections() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        FaultyProxy proxy = new FaultyProxy(redis.port());
        OutageScenario outageScenario =
            new OutageScenario("half-open", OutageScenario.settings(proxy.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      proxy.orphan();
      outageScenario.awaitFallback().awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  @Test
  void survivesBlackholedNetwork() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        FaultyProxy proxy = new FaultyProxy(redis.port());
        OutageScenario outageScenario =
            new OutageScenario("black hole", OutageScenario.settings(proxy.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      proxy.both(Fault.SWALLOW).door(AcceptMode.BRICKED_UP);
      Thread.sleep(3_000);
      outageScenario.awaitFallback().phase("recovery");
      proxy.heal();
      outageScenario.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  @Test
  void survivesLostReplies() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        FaultyProxy proxy = new FaultyProxy(redis.port());
        OutageScenario outageScenario =
            new OutageScenario("lost replies", OutageScenario.settings(proxy.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      proxy.toClient(Fault.SWALLOW);
      outageScenario.awaitFallback().phase("recovery");
      proxy.heal();
      outageScenario.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  @Test
  void survivesStallingNetwork() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        FaultyProxy proxy = new FaultyProxy(redis.port());
        OutageScenario outageScenario =
            new OutageScenario("stalled", OutageScenario.settings(proxy.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      proxy.both(Fault.STALL);
      outageScenario.awaitFallback().goOn().phase("recovery");
      proxy.heal();
      outageScenario.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  @Test
  void survivesSlowNetwork() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        FaultyProxy proxy = new FaultyProxy(redis.port());
        OutageScenario outageScenario =
            new OutageScenario("a second away", OutageScenario.settings(proxy.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      proxy.toClient(Fault.late(Duration.ofSeconds(1)));
      outageScenario.awaitFallback().goOn().phase("recovery");
      proxy.heal();
      outageScenario.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  @Test
  void survivesRepliesCutInTheMiddle() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        FaultyProxy proxy = new FaultyProxy(redis.port());
        OutageScenario outageScenario =
            new OutageScenario("cut replies", OutageScenario.settings(proxy.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      for (int i = 0; i < 20; i++) {
        proxy.toClient(Fault.cutAfter(50 + 37 * i));
        outageScenario.goOn();
      }
      outageScenario.phase("recovery");
      proxy.heal();
      outageScenario.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  @Test
  void survivesRepeatedResets() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        FaultyProxy proxy = new FaultyProxy(redis.port());
        OutageScenario outageScenario =
            new OutageScenario("resets", OutageScenario.settings(proxy.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      for (int i = 0; i < 20; i++) {
        proxy.drop();
        outageScenario.goOn();
      }
      outageScenario.phase("recovery").awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  @Test
  void startsBeforeRedis() throws Exception {
    try (RedisProcess redis = RedisProcess.start()) {
      redis.kill();
      try (OutageScenario outageScenario =
          OutageScenario.openedInOutage("starts without", OutageScenario.settings(redis.url()))) {
        outageScenario.awaitFallback().phase("recovery");
        redis.startAgain();
        outageScenario.awaitRedis().stop().verifyLedger().verifyLimits();
      }
    }
  }

  @Test
  void survivesSuspendedRedisOfTheSystem() throws Exception {
    RedisProgram program = RedisProgram.system().orElse(RedisProgram.jar());
    try (RedisProcess redis = RedisProcess.start(program);
        OutageScenario outageScenario =
            new OutageScenario(
                "SIGSTOP " + program.version(), OutageScenario.settings(redis.url()))) {
      outageScenario.awaitRedis().phase("trouble");
      redis.suspend();
      outageScenario.awaitFallback().goOn().phase("recovery");
      redis.resume();
      outageScenario.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }
}
