package io.weir.bench.redis;

import io.weir.bench.redis.node.Allowance;
import io.weir.bench.redis.node.Client;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Section;
import io.weir.bench.report.Spread;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** All callers check one key with ten permits a second: what fraction of that reaches Redis? */
final class Flood {
  private static final Allowance FEW = new Allowance(10, Duration.ofSeconds(1), 10);
  private static final int STARTERS = 8;
  private static final double PERCENT = 100;

  private final RedisSetup redisSetup;

  Flood(RedisSetup redisSetup) {
    this.redisSetup = redisSetup;
  }

  Section run() throws IOException, InterruptedException {
    double[] shares = new double[redisSetup.rounds()];
    double[] checks = new double[redisSetup.rounds()];
    double[] calls = new double[redisSetup.rounds()];
    double[] allowed = new double[redisSetup.rounds()];
    try (Fleet fleet = redisSetup.fleet(Client.WEIR, redisSetup.server(), 1)) {
      fleet.open("flood", 1, FEW).startedBy(STARTERS);
      fleet.warmUp(redisSetup.warmUpMillis());
      for (int i = 0; i < redisSetup.rounds(); i++) {
        Fleet.Counts counts = redisSetup.watch(() -> fleet.closed(redisSetup.millis()));
        shares[i] = PERCENT * counts.calls() / Math.max(1, counts.decided());
        checks[i] = counts.decided() / counts.seconds() / 1000;
        calls[i] = counts.calls() / counts.seconds();
        allowed[i] = counts.allowed() / counts.seconds();
        System.err.printf(
            "redis flood  round %d/%d  %.0f thousand checks/s, %.0f calls/s%n",
            i + 1, redisSetup.rounds(), checks[i], calls[i]);
      }
    }
    MarkdownTable table =
        new MarkdownTable(
            "checks, thousand/s", "script calls/s", "allowed/s", "checks that reach Redis, %");
    Spread share = Spread.of(shares);
    table.row(
        Spread.of(checks).text(), Spread.of(calls).text(), Spread.of(allowed).text(), text(share));
    return Scenario.FLOOD.section(
        "64 callers, one key that gets 10 permits a second.\n\n" + table,
        List.of(
            new Bar(
                "flood: share of the checks that reaches Redis, %",
                Bar.Direction.AT_MOST, 1, 1, share.median(), text(share))));
  }

  private static String text(Spread share) {
    return String.format(Locale.ROOT, "%.5f (%.5f–%.5f)", share.median(), share.min(), share.max());
  }
}
