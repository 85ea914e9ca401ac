package io.weir.chaos.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Origin;
import io.weir.chaos.audit.RecordedCheck.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether the auditor finds what was planted, and nothing else. */
class AuditorTest {
  private static final long MILLI = 1_000_000;
  private static final GrantBound FIVE_A_SECOND = GrantBound.slidingLog(5, Duration.ofSeconds(1));

  private final List<RecordedCheck> log = new ArrayList<>();

  private void allowed(String user, long from, long to) {
    add(Result.ALLOWED, user, from, to);
  }

  private void add(Result result, String user, long from, long to) {
    long before = from * MILLI;
    long after = to * MILLI;
    log.add(
        new RecordedCheck(
            "api", user, 1, result, Origin.STORE, before - 1, before, after, after + 1));
  }

  private List<Violation> violations(GrantBound grantBound) {
    Collections.shuffle(log, new Random(1));
    return new Auditor(grantBound).violations(log);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1_000, 1_000_000_000_000L, -9_200_000_000_000L})
  void findsSixGrantsWithinASecondOfALimitOfFive(long origin) {
    for (int i = 0; i < 5; i++) {
      allowed("ann", origin + i, origin + i + 1);
    }
    assertThat(violations(FIVE_A_SECOND)).isEmpty();
    allowed("ann", origin + 990, origin + 998);

    List<Violation> found = violations(FIVE_A_SECOND);

    assertThat(found).hasSize(1);
    assertThat(found.get(0).account()).isEqualTo("api/ann");
    assertThat(found.get(0).count()).isEqualTo(6);
    assertThat(found.get(0).allowed()).isEqualTo(5);
    assertThat(found.get(0).to() - found.get(0).from()).isEqualTo(998 * MILLI);
    assertThat(found.get(0).grants()).hasSize(6);
    assertThat(found.get(0).toString(origin * MILLI))
        .startsWith("api/ann: 6 yeses from 0.0 to 998.0 ms, 5 are allowed: node 1 at 0.0,");
  }

  /** The window is half open: two moments a second apart are in no common one. */
  @Test
  void acceptsSixthGrantAfterASecond() {
    for (int i = 0; i < 5; i++) {
      allowed("ann", 0, 0);
    }
    allowed("ann", 1000, 1000);
    assertThat(violations(FIVE_A_SECOND)).isEmpty();
  }

  /** The first may have been decided at 0 and the last at 1005. */
  @Test
  void acceptsGrantsThatMayBeASecondApart() {
    for (int i = 0; i < 5; i++) {
      allowed("ann", 0, 20);
    }
    allowed("ann", 990, 1005);
    assertThat(violations(FIVE_A_SECOND)).isEmpty();
  }

  /** One that took long is in no short interval, and does not hide the others. */
  @Test
  void findsViolationsDespiteSlowReplies() {
    allowed("ann", 0, 3000);
    for (int i = 0; i < 6; i++) {
      allowed("ann", 1000 + i, 1001 + i);
    }
    List<Violation> found = violations(FIVE_A_SECOND);
    assertThat(found).hasSize(1);
    assertThat(found.get(0).count()).isEqualTo(6);
    assertThat(found.get(0).from()).isEqualTo(1000 * MILLI);
  }

  @Test
  void reportsTheWorstViolationOfEachUser() {
    for (int i = 0; i < 6; i++) {
      allowed("ann", i, i + 1);
      allowed("bob", i, i + 1);
    }
    for (int i = 0; i < 9; i++) {
      allowed("bob", 5000 + i, 5001 + i);
    }
    assertThat(violations(FIVE_A_SECOND)).extracting(Violation::excess).containsExactly(1L, 4L);
  }

  @Test
  void countsAllowedDecisionsOnly() {
    for (int i = 0; i < 5; i++) {
      allowed("ann", i, i + 1);
    }
    add(Result.REFUSED, "ann", 10, 11);
    add(Result.NONE, "ann", 10, 11);
    allowed("bob", 10, 11);
    assertThat(violations(FIVE_A_SECOND)).isEmpty();
  }

  @Test
  void acceptsTenGrantsAcrossTwoWindows() {
    for (int i = 0; i < 10; i++) {
      allowed("ann", i * 200, i * 200);
    }
    assertThat(violations(FIVE_A_SECOND)).isEmpty();
    allowed("ann", 1001, 1001);
    assertThat(violations(FIVE_A_SECOND)).hasSize(1);
  }

  @Test
  void acceptsBurstPlusRefillOfBucket() {
    GrantBound grantBound = GrantBound.tokenBucket(10, Duration.ofSeconds(1));
    for (int i = 0; i < 10; i++) {
      allowed("ann", 0, 0);
    }
    allowed("ann", 100, 100);
    allowed("ann", 200, 200);
    assertThat(violations(grantBound)).isEmpty();
    allowed("ann", 290, 290);
    List<Violation> found = violations(grantBound);
    assertThat(found).extracting(Violation::count).containsExactly(13L);
    assertThat(found).extracting(Violation::allowed).containsExactly(12L);
  }

  @Test
  void reportsDecisionsOutsideOfTheirRequest() {
    allowed("ann", 0, 1);
    assertThat(Auditor.disorderly(log)).isEmpty();
    RecordedCheck early =
        new RecordedCheck("api", "ann", 1, Result.ALLOWED, Origin.STORE, 10, 9, 12, 13);
    RecordedCheck late =
        new RecordedCheck("api", "ann", 1, Result.REFUSED, Origin.STORE, 10, 11, 14, 13);
    log.addAll(List.of(early, late));
    assertThat(Auditor.disorderly(log)).containsExactly(early, late);
  }

  /** A correct limiter with replies that take any time up to 30 ms, and one that forgets once. */
  @Test
  void acceptsCorrectLimiterAndFindsForgetfulOne() {
    for (int seed = 0; seed < 200; seed++) {
      assertThat(new Auditor(FIVE_A_SECOND).violations(simulated(seed, false)))
          .as("seed %d", seed)
          .isEmpty();
      assertThat(new Auditor(FIVE_A_SECOND).violations(simulated(seed, true)))
          .as("seed %d, forgets", seed)
          .isNotEmpty();
    }
  }

  private static List<RecordedCheck> simulated(long seed, boolean forgets) {
    Random random = new Random(seed);
    List<Long> spent = new ArrayList<>();
    List<RecordedCheck> all = new ArrayList<>();
    long now = 0;
    for (int i = 0; i < 2000; i++) {
      now += random.nextInt(5) * MILLI;
      long decided = now;
      spent.removeIf(it -> it <= decided - 1000 * MILLI);
      if (forgets && i > 1000 && spent.size() == 5 && decided - spent.get(0) < 500 * MILLI) {
        spent.clear();
        forgets = false;
      }
      boolean allowed = spent.size() < 5;
      if (allowed) {
        spent.add(now);
      }
      long before = now - random.nextInt((int) (15 * MILLI));
      long after = now + random.nextInt((int) (15 * MILLI));
      Result result = allowed ? Result.ALLOWED : Result.REFUSED;
      all.add(
          new RecordedCheck("api", "ann", 1, result, Origin.STORE, before, before, after, after));
    }
    return all;
  }
}
