package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Fallbacks;
import io.weir.StoreHealth;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Which lines an outage has, in virtual time, and what they count. */
class OutageLogTest {
  private static final Pattern SUM = Pattern.compile(": ([\\d,]+) rule decisions? without it");

  private final ManualTimer timer = new ManualTimer(-1);
  private final RecordingLogger recordingLogger = new RecordingLogger();
  private final Map<String, Long> byRule = new HashMap<>();
  private long allowed;
  private long refused;
  private long errors;
  private final OutageLog log =
      new OutageLog(
          recordingLogger,
          Runnable::run,
          timer,
          () -> timer.elapsed().toNanos() / 1000,
          "redis://a:1",
          () -> new Fallbacks(allowed, refused, errors, 0, "rule", byRule));
  private final ShardBreakers shardBreakers =
      new ShardBreakers(Script.of("probe"), Duration.ofMillis(10), timer, log, pause -> pause);
  private final ShardBreaker one = breaker("a:1");
  private final ShardBreaker two = breaker("b:1");

  private ShardBreaker breaker(String name) {
    return new ShardBreaker(name, () -> new byte[0], shardBreakers);
  }

  private List<String> at(long seconds) {
    timer.moveTo(Duration.ofSeconds(seconds));
    return recordingLogger.take();
  }

  private void fail(ShardBreaker shard) {
    log.failed(shard, true, "cannot be reached", "Connection refused", timer.nanoTime());
  }

  private void decide(String rule, long times, boolean isAllowed) {
    for (long i = 0; i < times; i++) {
      log.decided();
      allowed += isAllowed ? 1 : 0;
      refused += isAllowed ? 0 : 1;
    }
    byRule.merge(rule, times, Long::sum);
  }

  @Test
  void anOutageHasALineAMinuteAndOneWithTheSumAtItsEnd() {
    assertThat(at(10)).isEmpty();
    fail(one);
    assertThat(at(10))
        .containsExactly(
            "WARNING Redis a:1 cannot be reached (Connection refused): decisions by on_failure"
                + " until it answers");
    decide("login", 4000, true);
    decide("api", 100, true);
    decide("api", 230, false);
    assertThat(at(69)).isEmpty();
    assertThat(at(70))
        .containsExactly(
            "WARNING Redis a:1 still down for 60 s, cannot be reached (Connection refused): 4,330"
                + " rule decisions without it: 4,100 allowed, 230 refused; rules login 4,000, api"
                + " 330");
    errors = 7;
    byRule.put("open", 7L);
    assertThat(at(129)).isEmpty();
    assertThat(at(130)).hasSize(1);
    assertThat(at(140)).isEmpty();
    log.recovered(one, true);
    assertThat(at(140)).isEmpty();
    decide("late", 1, true); // under way when it came back
    assertThat(at(142))
        .containsExactly(
            "INFO Redis a:1 answers again after 2.2 min: 4,338 rule decisions without it: 4,101"
                + " allowed, 230 refused, 7 returned 503; rules login 4,000, api 330, open 7, late"
                + " 1");
    assertThat(at(100_000)).isEmpty();
    assertThat(timer.pending()).isZero();
    assertThat(log.outages())
        .containsExactly(
            new StoreHealth.Outage(
                Instant.ofEpochSecond(10),
                Optional.of(Instant.ofEpochSecond(140)),
                StoreHealth.State.DOWN,
                "a:1",
                "cannot be reached (Connection refused)",
                new Fallbacks(
                    4101,
                    230,
                    7,
                    0,
                    "rule",
                    Map.of("login", 4000L, "api", 330L, "open", 7L, "late", 1L))));
  }

  @Test
  void anotherShardThatFailsMeanwhileBelongsToTheSameOutage() {
    fail(one);
    at(1);
    fail(two);
    log.recovered(one, true);
    assertThat(at(60).toString()).contains("Redis a:1 and 1 more still down for 60 s");
    log.recovered(two, true);
    assertThat(at(62).toString())
        .contains("Redis a:1 and 1 more answers again after 60 s, in which it failed 2 times");
  }

  @Test
  void lateRepliesWithoutAnOutageAreSummedUpOnceAMinute() {
    at(5);
    decide("api", 3, true);
    at(30);
    decide("api", 1, true);
    assertThat(at(64)).isEmpty();
    assertThat(at(65))
        .containsExactly(
            "WARNING redis://a:1 was not down in the last 60 s, but late: 4 rule decisions without"
                + " it: 4 allowed, 0 refused; rule api 4");
    assertThat(at(1000)).isEmpty();
    assertThat(timer.pending()).isZero();
  }

  @Test
  void sixRulesAreNamedByTheFiveMostAffected() {
    fail(one);
    for (int i = 0; i < 6; i++) {
      decide("rule" + i, 10 - i, true);
    }
    assertThat(at(60).toString())
        .contains("; rules rule0 10, rule1 9, rule2 8, rule3 7, rule4 6 and 1 more]");
  }

  @Test
  void aShardThatComesAndGoesHasFewLines() {
    int count = 0;
    for (int second = 0; second < 3600; second += 5) {
      timer.moveTo(Duration.ofSeconds(second));
      fail(one);
      timer.moveTo(Duration.ofSeconds(second + 2));
      log.recovered(one, true);
    }
    count += recordingLogger.take().size();
    assertThat(count).isBetween(60, 70); // one a minute
    assertThat(log.outages()).hasSizeBetween(2, 6);
  }

  @Test
  void aStoreThatIsClosedSumsUpWhatItHasNotSaid() {
    fail(one);
    decide("api", 2, false);
    recordingLogger.take();
    log.close();
    assertThat(recordingLogger.take().toString())
        .contains("still down for 0 ms", "2 rule decisions without it", "; the store is closed");
    fail(two);
    decide("api", 2, false);
    assertThat(at(1000)).isEmpty();
  }

  @Test
  void theLastHundredOutagesAreKept() {
    for (int i = 0; i < 120; i++) {
      timer.moveTo(Duration.ofHours(i));
      fail(one);
      log.recovered(one, true);
    }
    at(120 * 3600);
    assertThat(log.outages()).hasSize(100);
    assertThat(log.outages().get(99).began()).isEqualTo(Instant.ofEpochSecond(119 * 3600));
  }

  /** Whatever happens in whatever order, each decision is in exactly one sum. */
  @Test
  void theSumsOfAllLinesAreAllDecisions() {
    for (int seed = 0; seed < 200; seed++) {
      OutageLogTest world = new OutageLogTest();
      Random random = new Random(seed);
      long millis = 0;
      for (int i = 0; i < 200; i++) {
        millis += random.nextInt(random.nextInt(10) == 0 ? 90_000 : 1500);
        world.timer.moveTo(Duration.ofMillis(millis));
        ShardBreaker shard = random.nextBoolean() ? world.one : world.two;
        switch (random.nextInt(4)) {
          case 0 -> world.fail(shard);
          case 1 -> world.log.recovered(shard, true);
          default ->
              world.decide("rule" + random.nextInt(3), random.nextInt(50), random.nextBoolean());
        }
      }
      world.log.close();
      long sum = 0;
      for (String line : world.recordingLogger.take()) {
        Matcher found = SUM.matcher(line);
        if (found.find() && (line.startsWith("INFO") || line.contains("was not down"))) {
          sum += Long.parseLong(found.group(1).replace(",", ""));
        }
      }
      assertThat(sum).as("seed " + seed).isEqualTo(world.allowed + world.refused);
    }
  }
}
