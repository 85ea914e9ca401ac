package io.weir.seeing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The more rules, the less is kept of each; and when they are gone, as much as before. */
class SizesTest {
  private static final int RULES = 10_000;
  private static final int CALLERS = 300;

  private static String rules(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "{ name: r" + i + ", match: { path: /" + i + " }, per: user,")
        .map(rule -> rule + " limit: { algorithm: fixed-window, rate: 1 per 24h } }")
        .collect(Collectors.joining(", ", "rules: [ ", " ]"));
  }

  /** Each of so many callers asks three times, and is refused twice. */
  private static void ask(Seen seen, String path, int callers) {
    for (int i = 0; i < callers; i++) {
      for (int times = 0; times < 3; times++) {
        seen.ask("caller-" + i, path);
      }
    }
  }

  private static int recorded(Seen seen) {
    return seen.told(() -> seen.watch.callers().demand("r0", "", Grain.FIVE_MINUTES))
        .callers()
        .size();
  }

  private static int listed(Seen seen) {
    return seen.told(() -> seen.watch.callers().top(Kind.REFUSED, Window.MINUTE, "r0", 1000))
        .size();
  }

  @Test
  void rulesThatGoLeaveTheirRoomToThoseThatStay() {
    Seen seen = new Seen(rules(RULES));
    for (int i = 0; i < RULES; i++) {
      ask(seen, "/" + i, 1);
      if (i % 1_000 == 0) {
        seen.pass(Duration.ofSeconds(1));
      }
    }
    ask(seen, "/0", CALLERS);
    assertThat(seen.told(seen.watch.callers()::places)).isEqualTo(2);
    assertThat(listed(seen)).isEqualTo(2);
    assertThat(recorded(seen)).isLessThanOrEqualTo(16);
    assertThat(seen.told(() -> seen.watch.callers().census("r0")).error()).isGreaterThan(0.09);

    seen.limiter.reload(Seen.rules(rules(3)));
    seen.pass(Duration.ofMinutes(6));
    ask(seen, "/0", CALLERS);
    assertThat(seen.told(seen.watch.callers()::places)).isEqualTo(128);
    assertThat(listed(seen)).isEqualTo(128);
    // After the time with a lower sampling rate, because the other callers are unknown then.
    seen.pass(Duration.ofMinutes(50));
    ask(seen, "/0", CALLERS);
    assertThat(recorded(seen)).isBetween(CALLERS / 2, CALLERS);

    for (int i = 0; i < 4; i++) {
      seen.pass(Duration.ofHours(12));
      ask(seen, "/0", CALLERS);
    }
    Census census = seen.told(() -> seen.watch.callers().census("r0"));
    assertThat(census.error()).isLessThan(0.04);
    assertThat(census.callers()).isBetween(CALLERS * 9L / 10, CALLERS * 11L / 10);
  }

  /** Rules without a request for a day make room too. */
  @Test
  void rulesThatAreQuietLeaveTheirRoom() {
    Seen seen = new Seen(rules(200));
    for (int i = 0; i < 200; i++) {
      ask(seen, "/" + i, 1);
    }
    for (int i = 0; i < 26; i++) {
      seen.pass(Duration.ofHours(1));
      ask(seen, "/0", CALLERS);
    }
    assertThat(recorded(seen)).isBetween(CALLERS / 2, CALLERS);
  }

  /** Half a day counted precisely and half a day not are reported as if neither was. */
  @Test
  void countsOfDifferentSizesAreOne() {
    Distinct distinct = new Distinct(1024);
    long half = Duration.ofHours(12).toMillis();
    for (int i = 0; i < 5_000; i++) {
      distinct.add(LongKeys.hash(7, "a" + i), half);
    }
    assertThat(distinct.error()).isLessThan(0.04);
    distinct.resize(128);
    for (int i = 0; i < 5_000; i++) {
      distinct.add(LongKeys.hash(7, "b" + i), 2 * half);
      distinct.add(LongKeys.hash(7, "a" + i), 2 * half);
    }
    assertThat(distinct.error()).isGreaterThan(0.09);
    assertThat(distinct.count(2 * half)).isBetween(8_000L, 12_000L);
  }
}
