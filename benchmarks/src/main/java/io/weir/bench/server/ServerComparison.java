package io.weir.bench.server;

import io.weir.bench.load.RequestTemplate;
import io.weir.bench.program.Cores;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Spread;
import io.weir.bench.rounds.MeasuredCase;
import io.weir.bench.rounds.Rounds;
import io.weir.bench.rounds.Schedule;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * A comparison of servers, with its tables and targets. One server may run for several kinds of
 * requests at once.
 *
 * @param <C> the contenders
 */
public final class ServerComparison<C extends Competitor> implements AutoCloseable {
  private final Rounds<Sample> rounds;
  private final Schedule schedule;
  private final LoadGenerator loadGenerator;
  private final Cores cores;
  private final C ours;
  private final Map<Entry, MeasuredCase<Sample>> measuredCases = new LinkedHashMap<>();

  /**
   * A contender, and the group it is compared in.
   *
   * @param group the contenders that are compared with each other
   */
  private record Entry(Competitor contender, String group) {}

  /**
   * A comparison without contenders yet.
   *
   * @param ours the contender that all others are compared with
   */
  public ServerComparison(
      String name, Schedule schedule, LoadGenerator loadGenerator, Cores cores, C ours) {
    this.schedule = schedule;
    this.loadGenerator = loadGenerator;
    this.cores = cores;
    this.ours = ours;
    rounds =
        new Rounds<>(
            name,
            schedule,
            sample ->
                String.format(
                    Locale.ROOT,
                    "%.1f thousand/s, %.2f µs",
                    sample.perSecond() / 1000,
                    sample.serverMicros()));
  }

  /** Adds a server with a kind of request. */
  public void enter(
      C contender, String group, ServerProcess serverProcess, RequestTemplate requestTemplate) {
    enter(contender, group, serverProcess, requestTemplate, 0);
  }

  /**
   * Adds a server that also runs in an open loop.
   *
   * @param share the fraction of its own maximum for the open loop
   */
  public void enter(
      C contender,
      String group,
      ServerProcess serverProcess,
      RequestTemplate requestTemplate,
      double share) {
    String label = contender.label() + ", " + group;
    MeasuredCase<Sample> measuredCase =
        new ServerCase(label, serverProcess, requestTemplate, loadGenerator, cores, share);
    measuredCases.put(new Entry(contender, group), measuredCase);
    rounds.add(measuredCase);
  }

  /** Starts a server. */
  public interface Start {
    /** The server. */
    ServerProcess start() throws IOException;
  }

  /** Adds a server that is restarted for each measurement. */
  public void enterFresh(C contender, String group, Start start, RequestTemplate requestTemplate) {
    String label = contender.label() + ", " + group;
    MeasuredCase<Sample> measuredCase =
        new FreshServerCase(
            label,
            () -> new ServerCase(label, start.start(), requestTemplate, loadGenerator, cores, 0));
    measuredCases.put(new Entry(contender, group), measuredCase);
    rounds.add(measuredCase);
  }

  /** Measures all contenders. */
  public void run() throws IOException, InterruptedException {
    rounds.run(round -> {});
  }

  /** All contenders of a group, compared with {@code measure} if present, and with ours. */
  public MarkdownTable table(String group, C measure) {
    boolean isMeasured = measuredCases.containsKey(new Entry(measure, group));
    List<String> header = new ArrayList<>();
    header.addAll(
        List.of(
            group,
            "thousand/s, median (min–max)",
            "µs of the server's core",
            "its core busy, %",
            "the clients' core busy, %",
            "µs of Redis's core",
            "bytes allocated"));
    if (isMeasured) {
      header.addAll(List.of(measure.label() + " = 1, by core time", "by throughput"));
    }
    header.addAll(List.of(ours.label() + " ÷ it, by core time", "by throughput", "bad answers"));
    MarkdownTable table = new MarkdownTable(header.toArray(String[]::new));
    measuredCases.forEach(
        (entry, measuredCase) -> {
          if (entry.group.equals(group)) {
            List<String> row = new ArrayList<>();
            row.add(entry.contender.label());
            row.add(range(measuredCase, sample -> sample.perSecond() / 1000));
            row.add(range(measuredCase, Sample::serverMicros));
            row.add(median(measuredCase, Sample::busy));
            row.add(median(measuredCase, Sample::clientsBusy));
            row.add(median(measuredCase, Sample::storeMicros));
            row.add(median(measuredCase, Sample::bytes));
            if (isMeasured) {
              row.add(ratio(entry.contender, measure, group, Sample::perCoreSecond));
              row.add(ratio(entry.contender, measure, group, Sample::perSecond));
            }
            row.add(ratio(ours, entry.contender, group, Sample::perCoreSecond));
            row.add(ratio(ours, entry.contender, group, Sample::perSecond));
            row.add(
                Numbers.whole(
                    rounds.samples(measuredCase).stream().mapToLong(Sample::failed).sum()));
            table.row(row.toArray(String[]::new));
          }
        });
    return table;
  }

  /** Response times of all contenders of a group that ran in an open loop. */
  public MarkdownTable latencies(String group) {
    MarkdownTable table =
        new MarkdownTable(
            group + ", by the clock, µs",
            "thousand/s",
            "median",
            "99th percentile",
            "99.9th",
            "longest",
            "asked late, 99th percentile",
            ours.label() + " ÷ it, 99th percentile");
    measuredCases.forEach(
        (entry, measuredCase) -> {
          if (entry.group.equals(group)) {
            table.row(
                entry.contender.label(),
                median(measuredCase, sample -> sample.latency().perSecond() / 1000),
                range(measuredCase, sample -> sample.latency().median()),
                range(measuredCase, sample -> sample.latency().p99()),
                range(measuredCase, sample -> sample.latency().p999()),
                range(measuredCase, sample -> sample.latency().longest()),
                range(measuredCase, sample -> sample.latency().lateness()),
                ratio(ours, entry.contender, group, sample -> sample.latency().p99()));
          }
        });
    return table;
  }

  /** The target for ours relative to another at the 99th percentile; empty if either is absent. */
  public Optional<Bar> latencyBar(String group, C other, double first, double then) {
    String what = "%s: p99 of %s ÷ %s".formatted(group, ours.label(), other.label());
    return spread(ours, other, group, sample -> sample.latency().p99())
        .map(ratio -> Bar.of(what, Bar.Direction.AT_MOST, first, then, ratio));
  }

  /** The difference of a number between two contenders; empty if either is absent. */
  public Optional<Spread> more(String group, C one, C other, ToDoubleFunction<Sample> number) {
    MeasuredCase<Sample> measuredCase = measuredCases.get(new Entry(one, group));
    MeasuredCase<Sample> another = measuredCases.get(new Entry(other, group));
    return measuredCase == null || another == null
        ? Optional.empty()
        : Optional.of(rounds.difference(measuredCase, another, number));
  }

  /** The percentage of tolerated responses of each contender, as text. */
  public String tolerated(String group) {
    return measuredCases.entrySet().stream()
        .filter(each -> each.getKey().group.equals(group))
        .map(
            each ->
                each.getKey().contender.label()
                    + " "
                    + Numbers.three(rounds.spread(each.getValue(), Sample::tolerated).median())
                    + " %")
        .collect(Collectors.joining(", "));
  }

  private String range(MeasuredCase<Sample> measuredCase, ToDoubleFunction<Sample> number) {
    Spread spread = rounds.spread(measuredCase, number);
    return Numbers.three(spread.median())
        + (" (" + Numbers.three(spread.min()) + "–" + Numbers.three(spread.max()) + ")");
  }

  private String median(MeasuredCase<Sample> measuredCase, ToDoubleFunction<Sample> number) {
    double median = rounds.spread(measuredCase, number).median();
    return Double.isNaN(median) ? "" : Numbers.three(median);
  }

  private String ratio(
      Competitor contender, Competitor other, String group, ToDoubleFunction<Sample> number) {
    return contender == other
        ? "1"
        : spread(contender, other, group, number).map(Spread::text).orElse("");
  }

  private Optional<Spread> spread(
      Competitor contender, Competitor other, String group, ToDoubleFunction<Sample> number) {
    MeasuredCase<Sample> measuredCase = measuredCases.get(new Entry(contender, group));
    MeasuredCase<Sample> another = measuredCases.get(new Entry(other, group));
    return measuredCase == null || another == null
        ? Optional.empty()
        : Optional.of(rounds.ratio(measuredCase, number, another, number));
  }

  /** The targets for ours relative to another, in both measures; none if either is absent. */
  public List<Bar> bars(String group, C other, double first, double then) {
    List<Bar> bars = new ArrayList<>();
    String what = "%s: %s ÷ %s, by ".formatted(group, ours.label(), other.label());
    spread(ours, other, group, Sample::perCoreSecond)
        .ifPresent(ratio -> bars.add(atLeast(what + "core time", first, then, ratio)));
    spread(ours, other, group, Sample::perSecond)
        .ifPresent(ratio -> bars.add(atLeast(what + "throughput", first, then, ratio)));
    return bars;
  }

  private static Bar atLeast(String what, double first, double then, Spread measured) {
    return Bar.of(what, Bar.Direction.AT_LEAST, first, then, measured);
  }

  /** The number and length of rounds, as text. */
  public String remark() {
    return "%d rounds of %d ms.".formatted(schedule.rounds(), schedule.millis());
  }

  @Override
  public void close() throws IOException {
    rounds.close();
  }
}
