package io.weir.client.pace;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Independent clients that share a limit: nearly all of it is used, and almost no request is
 * refused. The numbers are means over several fleets.
 */
@Tag("slow")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FleetTest {
  private static final int FLEETS = 2;

  /**
   * At the beginning all send at once; with a small limit some are refused then. The bar holds from
   * the second window on, and for the refused from the beginning unless said otherwise.
   */
  @ParameterizedTest(name = "{0} clients, {1}")
  @CsvSource({
    // clients, limit, used at least, refused at most
    "1,   100/s burst 100,  0.98, 0.001",
    "1,   100/s burst 1000, 0.98, 0.001",
    "1,   100/s burst 150,  0.98, 0.001",
    "1,   100/s burst 50,   0.98, 0.001",
    "1,   window 1000 per 10s, 0.98, 0.001",
    // The reset is reported in whole seconds: alone, up to one is lost in each window.
    "1,   log 1000 per 10s, 0.90, 0.001",
    "2,   100/s burst 100,  0.95, 0.01",
    "2,   window 1000 per 10s, 0.95, 0.01",
    "10,  100/s burst 100,  0.95, 0.01",
    "10,  100/s burst 1000, 0.95, 0.01",
    "10,  100/s burst 150,  0.95, 0.01",
    "10,  100/s burst 50,   0.95, 0.01",
    "10,  window 1000 per 10s, 0.95, 0.01",
    "10,  log 1000 per 10s, 0.95, 0.01",
    "50,  100/s burst 100,  0.95, 0.01",
    "50,  500/s burst 500,  0.95, 0.01",
    "50,  100/s burst 1000, 0.95, 0.01",
    "50,  100/s burst 150,  0.95, 0.01",
    "50,  100/s burst 50,   0.95, 0.01",
    "50,  window 1000 per 10s, 0.95, 0.01",
    "50,  window 6000 per 60s, 0.95, 0.01",
    // A sliding log gives back what was spent a window ago: its bursts would come again.
    "50,  log 1000 per 10s, 0.95, 0.005",
    "50,  log 3000 per 60s, 0.95, 0.005",
    // A window of a second says 't=1' always, as a bucket does: its end has to be found first.
    "1,   window 100 per 1s, 0.95, 0.001",
    "10,  window 100 per 1s, 0.95, 0.01",
    "50,  window 100 per 1s, 0.95, 0.01",
    "50,  window 500 per 1s, 0.95, 0.01",
    "50,  window 200 per 2s, 0.95, 0.01",
    "50,  window 300 per 3s, 0.95, 0.01",
    "50,  window 500 per 5s, 0.95, 0.01",
    "200, 500/s burst 500,  0.95, 0.01",
    "200, 100/s burst 1000, 0.95, 0.01",
  })
  void fleetUsesNearlyTheWholeLimitWithFewRefusals(
      int clients, String limit, double minUsed, double maxRefused) {
    double used = 0;
    double refused = 0;
    Limited limited = Limited.of(limit);
    for (int seed = 1; seed <= FLEETS; seed++) {
      Fleet fleet = limited.fleet(seed).saturating(clients, 4);
      Fleet.Outcome first = fleet.during(limited.window().multipliedBy(2).plusSeconds(3));
      Duration span = limited.window().multipliedBy(5).plusSeconds(20);
      span = span.minusMillis(span.toMillis() % Math.max(1000, limited.window().toMillis()));
      Fleet.Outcome then = fleet.during(span);
      used += then.allowed() / (limited.aSecond() * span.toMillis() / 1000.0) / FLEETS;
      refused += then.refusedPart() / FLEETS;
      assertThat(first.refusedPart()).as("at first").isLessThan(0.2);
    }
    String summary = String.format("%.3f of %s used, %.4f refused", used, limit, refused);
    System.out.println(">> " + clients + " clients: " + summary);
    assertThat(used).as(summary).isGreaterThanOrEqualTo(minUsed);
    assertThat(refused).as(summary).isLessThanOrEqualTo(maxRefused);
  }

  /** Clients that need little get it, and the others share the rest. */
  @Test
  void clientsThatNeedLittleGetIt() {
    Duration span = Duration.ofSeconds(60);
    Fleet fleet = Limited.of("100/s burst 100").fleet(7).sending(25, 1, span).saturating(25, 4);
    fleet.during(Duration.ofSeconds(10));
    Fleet.Outcome outcome = fleet.during(span.minusSeconds(10));
    long modest = LongStream.of(outcome.served()).limit(25).sum();
    assertThat(modest).isGreaterThan(25 * 50 * 8 / 10);
    assertThat(outcome.allowed()).isGreaterThan(4750);
    assertThat(outcome.refusedPart()).isLessThan(0.01);
  }

  /** No client is left with next to nothing for long. */
  @Test
  void sharesBecomeEqual() {
    Fleet fleet = Limited.of("100/s burst 100").fleet(3).saturating(20, 4);
    fleet.during(Duration.ofSeconds(120));
    long[] served = fleet.during(Duration.ofSeconds(120)).served();
    Arrays.sort(served);
    assertThat(served[0]).as(Arrays.toString(served)).isGreaterThan(600 / 4);
    assertThat(served[19]).as(Arrays.toString(served)).isLessThan(600 * 3);
  }

  @Test
  void clientTakesPermitsThatOthersLeave() {
    Duration busy = Duration.ofSeconds(40);
    Fleet fleet = Limited.of("100/s burst 100").fleet(5).sending(20, 4, busy).saturating(2, 4);
    fleet.during(busy);
    fleet.during(Duration.ofSeconds(20));
    assertThat(fleet.during(Duration.ofSeconds(30)).allowed()).isGreaterThan(2850);
  }

  /** A limit in words, as far as this test has any. */
  private record Limited(Limit limit, Duration window, double aSecond) {
    static Limited of(String words) {
      String[] parts = words.split("[ /]+");
      if (!words.contains("per")) {
        int rate = Integer.parseInt(parts[0]);
        int burst = Integer.parseInt(parts[3]);
        long seconds = burst < rate ? 0 : (burst + rate - 1) / rate;
        Limit bucket = Limit.tokenBucket(rate).perSecond().burst(burst);
        return new Limited(bucket, Duration.ofSeconds(seconds), rate);
      }
      int number = Integer.parseInt(parts[1]);
      Duration period = Duration.parse("PT" + parts[3]);
      Limit limit =
          parts[0].equals("log")
              ? Limit.slidingLog(number).per(period)
              : Limit.fixedWindow(number).per(period);
      return new Limited(limit, period, (double) number / period.toSeconds());
    }

    Fleet fleet(long seed) {
      return new Fleet(limit, window, seed);
    }
  }
}
