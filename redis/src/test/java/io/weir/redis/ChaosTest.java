package io.weir.redis;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Authority;
import io.weir.rig.FaultyProxy;
import io.weir.rig.FaultyProxy.Door;
import io.weir.rig.FaultyProxy.Fault;
import io.weir.rig.Logged;
import io.weir.rig.RedisProcess;
import io.weir.rig.RedisProgram;
import io.weir.rig.RespSocket;
import io.weir.rig.Until;
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
  void killed() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Drill drill = new Drill("kill -9", Drill.settings(redis.url()))) {
      drill.awaitRedis().phase("trouble");
      redis.kill();
      drill.awaitFallback().phase("recovery");
      redis.startAgain();
      drill.awaitRedis().stop().verifyLimits();
    }
  }

  @Test
  void suspended() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Drill drill = new Drill("SIGSTOP", Drill.settings(redis.url()))) {
      drill.awaitRedis().phase("trouble");
      redis.suspend();
      drill.awaitFallback().goOn().phase("recovery");
      redis.resume();
      drill.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  @Test
  void suspendedForLongerThanAnyTimeout() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Drill drill = new Drill("SIGSTOP for 5 s", Drill.settings(redis.url()))) {
      drill.awaitRedis().phase("trouble");
      redis.suspend();
      Thread.sleep(5_000);
      drill.awaitFallback().phase("recovery");
      redis.resume();
      drill.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  @Test
  void restartedEmpty() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Drill drill = new Drill("restart empty", Drill.settings(redis.url()))) {
      drill.awaitRedis().phase("trouble");
      redis.restartEmpty();
      drill.awaitRedis().stop().verifyLimits();
    }
  }

  @Test
  void paused() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Drill drill = new Drill("CLIENT PAUSE", Drill.settings(redis.url()))) {
      drill.awaitRedis().phase("trouble");
      redis.call("CLIENT", "PAUSE", "6000");
      drill.awaitFallback().phase("recovery").awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  @Test
  void asleep() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Drill drill = new Drill("DEBUG SLEEP", Drill.settings(redis.url()))) {
      drill.awaitRedis().phase("trouble");
      redis.call("DEBUG", "SLEEP", "4");
      drill.awaitFallback().phase("recovery").awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  /** Somebody's endless script: first Redis is silent, then it says BUSY. */
  @Test
  void busyWithASlowScript() throws Exception {
    try (RedisProcess redis = RedisProcess.start("lua-time-limit 300");
        Drill drill = new Drill("slow script", Drill.settings(redis.url()))) {
      drill.awaitRedis().phase("trouble");
      Thread script =
          new Thread(
              () -> {
                try (RespSocket somebody = redis.connect()) {
                  somebody.call("EVAL", "while true do end", "0");
                } catch (RespSocket.RedisError killed) {
                  // As planned.
                }
              });
      script.start();
      drill.awaitFallback();
      Thread.sleep(1_000);
      drill.phase("busy").awaitFallback().phase("recovery");
      redis.call("SCRIPT", "KILL");
      script.join();
      drill.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  /** It costs nobody a decision. */
  @Test
  void scriptsFlushed() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Drill drill = new Drill("SCRIPT FLUSH", RedisSuite.patient(redis.url()))) {
      drill.awaitRedis().phase("trouble");
      for (int i = 0; i < 20; i++) {
        redis.call("SCRIPT", "FLUSH");
        drill.goOn();
      }
      drill.verifyAllDecided().stop().verifyLedger().verifyLimits();
    }
  }

  /** What was the primary has become a replica of another, and says so. */
  @Test
  void readOnly() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        RedisProcess other = RedisProcess.start();
        Drill drill = new Drill("READONLY", Drill.settings(redis.url()))) {
      drill.awaitRedis().phase("trouble");
      redis.call("REPLICAOF", "127.0.0.1", Integer.toString(other.port()));
      drill.awaitFallback().phase("recovery");
      redis.call("REPLICAOF", "NO", "ONE");
      drill.awaitRedis().stop().verifyLimits();
    }
  }

  @Test
  void outOfMemory() throws Exception {
    try (RedisProcess redis = RedisProcess.start("maxmemory-policy noeviction");
        Drill drill = new Drill("out of memory", Drill.settings(redis.url()))) {
      drill.awaitRedis().phase("trouble");
      redis.call("CONFIG", "SET", "maxmemory", "1");
      drill.awaitFallback().phase("recovery");
      redis.call("CONFIG", "SET", "maxmemory", "0");
      drill.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  @Test
  void anotherPassword() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Drill drill =
            new Drill("wrong password", Drill.settings("redis://:old@" + redis.address()))) {
      drill.awaitFallback().phase("corrected");
      redis.call("ACL", "SETUSER", "default", "resetpass", ">old");
      drill.awaitRedis().phase("changed");
      redis.call("ACL", "SETUSER", "default", "resetpass", ">new");
      redis.call("CLIENT", "KILL", "TYPE", "normal");
      drill.awaitFallback().phase("recovery");
      redis.call("ACL", "SETUSER", "default", "resetpass", ">old");
      drill.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  /** Connected, but not allowed to run scripts any more. */
  @Test
  void permissionsTakenAway() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Drill drill = new Drill("NOPERM", Drill.settings(redis.url()))) {
      drill.awaitRedis().phase("trouble");
      redis.call("ACL", "SETUSER", "default", "-@scripting");
      drill.awaitFallback().phase("recovery");
      redis.call("ACL", "SETUSER", "default", "+@all");
      drill.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  /** A server that shows the certificate of somebody we do not trust, and later its own. */
  @Test
  void aCertificateThatIsNotTrusted() throws Exception {
    Authority ours = new Authority("ours");
    Authority.Identity server = new Authority("stranger").issue("server");
    try (RedisProcess redis = RedisProcess.startWithTls(RedisProgram.jar(), server, ours, "no");
        Drill drill =
            new Drill(
                "TLS",
                Drill.settings(
                    "rediss://127.0.0.1:" + redis.tlsPort() + "?ca=" + ours.certificate()))) {
      drill.awaitFallback().goOn().phase("trusted");
      replace(redis, server, ours.issue("server"));
      drill.awaitRedis().phase("expired");
      replace(redis, server, ours.issueExpired("server"));
      drill.awaitFallback().goOn().phase("recovery");
      replace(redis, server, ours.issue("server"));
      drill.awaitRedis().stop().verifyLimits();
    }
  }

  private static void replace(
      RedisProcess redis, Authority.Identity shown, Authority.Identity instead) throws Exception {
    redis.kill();
    Files.copy(instead.certificate(), shown.certificate(), REPLACE_EXISTING);
    Files.copy(instead.key(), shown.key(), REPLACE_EXISTING);
    redis.startAgain();
  }

  /** Buckets that are evicted are limits that are forgotten: it is said at the start. */
  @Test
  void evictsKeysWhenItsMemoryIsFull() throws Exception {
    try (Logged log = new Logged("io.weir.redis");
        RedisProcess redis = RedisProcess.start("maxmemory 3mb", "maxmemory-policy allkeys-lru");
        Drill drill = new Drill("eviction", RedisSuite.patient(redis.url()))) {
      drill.awaitRedis();
      Until.holds(
          () -> "warned: " + log.lines(),
          Duration.ofSeconds(30),
          () -> log.lines().stream().anyMatch(line -> line.contains("allkeys-lru")));
      drill.phase("trouble");
      for (int i = 0; i < 2000; i++) {
        redis.call("SET", "filler-" + i, "x".repeat(5000));
      }
      assertThat(Long.parseLong(redis.info("stats", "evicted_keys"))).isPositive();
      drill.goOn();
      drill.verifyAllDecided();
      drill.phase("connected again");
      redis.call("CLIENT", "KILL", "TYPE", "normal");
      Until.holds("lost", () -> drill.store().status().shards().get(0).changes() > 1);
      drill.awaitRedis().stop().verifyLimits();
      assertThat(log.lines()).filteredOn(line -> line.contains("allkeys-lru")).hasSize(1);
    }
  }

  /** One line when it begins and one when it is over, however many decisions there were. */
  @Test
  void saysWhatHappenedOnce() throws Exception {
    try (Logged log = new Logged("io.weir.redis");
        RedisProcess redis = RedisProcess.start();
        Drill drill = new Drill("log lines", RedisSuite.patient(redis.url()))) {
      drill.awaitRedis().phase("trouble");
      log.lines().clear();
      redis.kill();
      drill.awaitFallback().goOn().goOn();
      Until.holds("it is said", () -> !log.lines().isEmpty());
      assertThat(log.lines()).hasSize(1).allMatch(line -> line.startsWith("WARNING"));
      drill.phase("recovery");
      redis.startAgain();
      drill.awaitRedis().stop();
      Until.holds("that is said too", () -> log.lines().size() > 1);
      assertThat(log.lines().get(1)).startsWith("INFO").contains("answers again");
    }
  }

  /** The other side has lost its power: nothing arrives, and no end is told. */
  @Test
  void halfOpen() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        FaultyProxy proxy = new FaultyProxy(redis.port());
        Drill drill = new Drill("half-open", Drill.settings(proxy.url()))) {
      drill.awaitRedis().phase("trouble");
      proxy.orphan();
      drill.awaitFallback().awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  @Test
  void networkThatSwallowsEverything() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        FaultyProxy proxy = new FaultyProxy(redis.port());
        Drill drill = new Drill("black hole", Drill.settings(proxy.url()))) {
      drill.awaitRedis().phase("trouble");
      proxy.both(Fault.SWALLOW).door(Door.BRICKED_UP);
      Thread.sleep(3_000);
      drill.awaitFallback().phase("recovery");
      proxy.heal();
      drill.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  @Test
  void repliesThatAreLost() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        FaultyProxy proxy = new FaultyProxy(redis.port());
        Drill drill = new Drill("lost replies", Drill.settings(proxy.url()))) {
      drill.awaitRedis().phase("trouble");
      proxy.toClient(Fault.SWALLOW);
      drill.awaitFallback().phase("recovery");
      proxy.heal();
      drill.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  @Test
  void networkThatStalls() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        FaultyProxy proxy = new FaultyProxy(redis.port());
        Drill drill = new Drill("stalled", Drill.settings(proxy.url()))) {
      drill.awaitRedis().phase("trouble");
      proxy.both(Fault.STALL);
      drill.awaitFallback().goOn().phase("recovery");
      proxy.heal();
      drill.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  @Test
  void slowNetwork() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        FaultyProxy proxy = new FaultyProxy(redis.port());
        Drill drill = new Drill("a second away", Drill.settings(proxy.url()))) {
      drill.awaitRedis().phase("trouble");
      proxy.toClient(Fault.late(Duration.ofSeconds(1)));
      drill.awaitFallback().goOn().phase("recovery");
      proxy.heal();
      drill.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  @Test
  void cutInTheMidstOfReplies() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        FaultyProxy proxy = new FaultyProxy(redis.port());
        Drill drill = new Drill("cut replies", Drill.settings(proxy.url()))) {
      drill.awaitRedis().phase("trouble");
      for (int i = 0; i < 20; i++) {
        proxy.toClient(Fault.cutAfter(50 + 37 * i));
        drill.goOn();
      }
      drill.phase("recovery");
      proxy.heal();
      drill.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  @Test
  void resetAgainAndAgain() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        FaultyProxy proxy = new FaultyProxy(redis.port());
        Drill drill = new Drill("resets", Drill.settings(proxy.url()))) {
      drill.awaitRedis().phase("trouble");
      for (int i = 0; i < 20; i++) {
        proxy.drop();
        drill.goOn();
      }
      drill.phase("recovery").awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }

  @Test
  void notThereYet() throws Exception {
    try (RedisProcess redis = RedisProcess.start()) {
      redis.kill();
      try (Drill drill = new Drill("starts without", Drill.settings(redis.url()))) {
        drill.awaitFallback().phase("recovery");
        redis.startAgain();
        drill.awaitRedis().stop().verifyLedger().verifyLimits();
      }
    }
  }

  @Test
  void theSystemsRedisSuspended() throws Exception {
    RedisProgram program = RedisProgram.system().orElse(RedisProgram.jar());
    try (RedisProcess redis = RedisProcess.start(program);
        Drill drill = new Drill("SIGSTOP " + program.version(), Drill.settings(redis.url()))) {
      drill.awaitRedis().phase("trouble");
      redis.suspend();
      drill.awaitFallback().goOn().phase("recovery");
      redis.resume();
      drill.awaitRedis().stop().verifyLedger().verifyLimits();
    }
  }
}
