package io.weir.bench.service;

import io.weir.bench.race.Lane;
import io.weir.bench.race.Race;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Spread;
import io.weir.bench.service.load.Question;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** A race of servers, with its tables and bars. Servers may run for several questions at once. */
final class Contest implements AutoCloseable {
  private final Race<Sample> race;
  private final Stage stage;
  private final Map<Entry, Lane<Sample>> lanes = new LinkedHashMap<>();

  /**
   * Who is asked what.
   *
   * @param group what is compared with each other
   */
  record Entry(Contender contender, String group) {}

  Contest(String name, Stage stage) {
    this.stage = stage;
    race =
        new Race<>(
            "service " + name,
            stage.schedule(),
            sample ->
                String.format(
                    Locale.ROOT,
                    "%.1f thousand/s, %.2f µs",
                    sample.perSecond() / 1000,
                    sample.serverMicros()));
  }

  /** Enters a server with a question. */
  void enter(Contender contender, String group, Service service, Question question) {
    Lane<Sample> lane =
        new AskedLane(
            contender.label() + ", " + group, service, question, stage.asker(), stage.cores());
    lanes.put(new Entry(contender, group), lane);
    race.add(lane);
  }

  void run() throws IOException, InterruptedException {
    race.run(round -> {});
  }

  /** All of a group, beside {@code measure} if that is there, and beside Weir. */
  MarkdownTable table(String group, Contender measure) {
    boolean isMeasured = lanes.containsKey(new Entry(measure, group));
    List<String> header = new ArrayList<>();
    header.addAll(
        List.of(
            group,
            "thousand/s, median (min–max)",
            "µs of the server's core",
            "µs of Redis's core",
            "bytes allocated"));
    if (isMeasured) {
      header.addAll(List.of(measure.label() + " = 1, by core time", "by throughput"));
    }
    header.addAll(List.of("Weir ÷ it, by core time", "by throughput", "bad answers"));
    MarkdownTable table = new MarkdownTable(header.toArray(String[]::new));
    lanes.forEach(
        (entry, lane) -> {
          if (entry.group.equals(group)) {
            List<String> row = new ArrayList<>();
            row.add(entry.contender.label());
            row.add(range(lane, sample -> sample.perSecond() / 1000));
            row.add(range(lane, Sample::serverMicros));
            row.add(median(lane, Sample::storeMicros));
            row.add(median(lane, Sample::bytes));
            if (isMeasured) {
              row.add(ratio(entry.contender, measure, group, Sample::perCoreSecond));
              row.add(ratio(entry.contender, measure, group, Sample::perSecond));
            }
            row.add(ratio(Contender.WEIR, entry.contender, group, Sample::perCoreSecond));
            row.add(ratio(Contender.WEIR, entry.contender, group, Sample::perSecond));
            row.add(Numbers.whole(race.samples(lane).stream().mapToLong(Sample::failed).sum()));
            table.row(row.toArray(String[]::new));
          }
        });
    return table;
  }

  private String range(Lane<Sample> lane, ToDoubleFunction<Sample> number) {
    Spread spread = race.spread(lane, number);
    return Numbers.three(spread.median())
        + (" (" + Numbers.three(spread.min()) + "–" + Numbers.three(spread.max()) + ")");
  }

  private String median(Lane<Sample> lane, ToDoubleFunction<Sample> number) {
    double median = race.spread(lane, number).median();
    return Double.isNaN(median) ? "" : Numbers.three(median);
  }

  private String ratio(
      Contender contender, Contender other, String group, ToDoubleFunction<Sample> number) {
    return contender == other
        ? "1"
        : spread(contender, other, group, number).map(Spread::text).orElse("");
  }

  private Optional<Spread> spread(
      Contender contender, Contender other, String group, ToDoubleFunction<Sample> number) {
    Lane<Sample> lane = lanes.get(new Entry(contender, group));
    Lane<Sample> another = lanes.get(new Entry(other, group));
    return lane == null || another == null
        ? Optional.empty()
        : Optional.of(race.ratio(lane, number, another, number));
  }

  /** What Weir is to reach beside another, in both measures; none if one of them is not here. */
  List<Bar> bars(String group, Contender other, double first, double then) {
    List<Bar> bars = new ArrayList<>();
    String what = "%s: Weir ÷ %s, by ".formatted(group, other.label());
    spread(Contender.WEIR, other, group, Sample::perCoreSecond)
        .ifPresent(ratio -> bars.add(atLeast(what + "core time", first, then, ratio)));
    spread(Contender.WEIR, other, group, Sample::perSecond)
        .ifPresent(ratio -> bars.add(atLeast(what + "throughput", first, then, ratio)));
    return bars;
  }

  private static Bar atLeast(String what, double first, double then, Spread measured) {
    return Bar.of(what, Bar.Direction.AT_LEAST, first, then, measured);
  }

  /** How often and how long, in words. */
  String remark() {
    return "%d rounds of %d ms.".formatted(stage.schedule().rounds(), stage.schedule().millis());
  }

  @Override
  public void close() throws IOException {
    race.close();
  }
}
