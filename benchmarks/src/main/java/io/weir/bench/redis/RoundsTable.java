package io.weir.bench.redis;

import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Spread;
import io.weir.bench.rounds.MeasuredCase;
import io.weir.bench.rounds.Rounds;

/** All lanes of a race, compared with the bare script and with Weir. */
final class RoundsTable {
  private RoundsTable() {}

  static MarkdownTable of(
      Rounds<Sample> rounds, String title, MeasuredCase<Sample> bare, MeasuredCase<Sample> ours) {
    MarkdownTable table =
        new MarkdownTable(
            title,
            "thousand/s, median (min–max)",
            "÷ bare: median [quartiles] (min–max)",
            "Weir ÷ it",
            "script calls, thousand/s",
            "µs of the client's core",
            "µs of Redis's core",
            "undecided");
    for (MeasuredCase<Sample> measuredCase : rounds.measuredCases()) {
      Spread rate = rounds.spread(measuredCase, sample -> sample.perSecond() / 1000);
      double client = rounds.spread(measuredCase, Sample::clientMicros).median();
      table.row(
          measuredCase.label(),
          Numbers.three(rate.median())
              + (" (" + Numbers.three(rate.min()) + "–" + Numbers.three(rate.max()) + ")"),
          measuredCase == bare ? "1" : rates(rounds, measuredCase, bare).text(),
          measuredCase == ours
              ? "1"
              : rounds.measuredCases().contains(ours)
                  ? rates(rounds, ours, measuredCase).text()
                  : "",
          Numbers.three(
              rounds.spread(measuredCase, sample -> sample.callsPerSecond() / 1000).median()),
          Double.isNaN(client) ? "" : Numbers.three(client),
          Numbers.three(rounds.spread(measuredCase, Sample::serverMicros).median()),
          Numbers.whole(rounds.samples(measuredCase).stream().mapToLong(Sample::failed).sum()));
    }
    return table;
  }

  static Spread rates(
      Rounds<Sample> rounds, MeasuredCase<Sample> measuredCase, MeasuredCase<Sample> other) {
    return rounds.ratio(measuredCase, Sample::perSecond, other, Sample::perSecond);
  }
}
