package io.weir.bench.redis;

import io.weir.bench.race.Lane;
import io.weir.bench.race.Race;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Spread;

/** All lanes of a race, compared with the bare script and with Weir. */
final class RaceTable {
  private RaceTable() {}

  static MarkdownTable of(Race<Sample> race, String title, Lane<Sample> bare, Lane<Sample> ours) {
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
    for (Lane<Sample> lane : race.lanes()) {
      Spread rate = race.spread(lane, sample -> sample.perSecond() / 1000);
      double client = race.spread(lane, Sample::clientMicros).median();
      table.row(
          lane.label(),
          Numbers.three(rate.median())
              + (" (" + Numbers.three(rate.min()) + "–" + Numbers.three(rate.max()) + ")"),
          lane == bare ? "1" : rates(race, lane, bare).text(),
          lane == ours ? "1" : race.lanes().contains(ours) ? rates(race, ours, lane).text() : "",
          Numbers.three(race.spread(lane, sample -> sample.callsPerSecond() / 1000).median()),
          Double.isNaN(client) ? "" : Numbers.three(client),
          Numbers.three(race.spread(lane, Sample::serverMicros).median()),
          Numbers.whole(race.samples(lane).stream().mapToLong(Sample::failed).sum()));
    }
    return table;
  }

  static Spread rates(Race<Sample> race, Lane<Sample> lane, Lane<Sample> other) {
    return race.ratio(lane, Sample::perSecond, other, Sample::perSecond);
  }
}
