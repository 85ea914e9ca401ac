package io.weir.bench.filter;

import io.weir.bench.contest.Asker;
import io.weir.bench.contest.Contest;
import io.weir.bench.contest.Launcher;
import io.weir.bench.contest.Requests;
import io.weir.bench.contest.RunOptions;
import io.weir.bench.contest.Sample;
import io.weir.bench.program.Cores;
import io.weir.bench.program.Running;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Section;
import io.weir.bench.report.Spread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a request costs an application with a filter and without: the difference within a round is
 * what the filter adds. Nobody is refused.
 */
final class Adding {
  private static final int CLIENTS = 10_000;
  private static final String GROUP = "requests";

  private final RunOptions<Scenario, Contender> options;
  private final Cores cores;
  private final Launcher launcher;
  private final Applications applications;

  Adding(
      RunOptions<Scenario, Contender> options,
      Cores cores,
      Launcher launcher,
      Applications applications) {
    this.options = options;
    this.cores = cores;
    this.launcher = launcher;
    this.applications = applications;
  }

  Section run() throws IOException, InterruptedException {
    try (Asker asker = new Asker(cores);
        Contest<Contender> contest =
            new Contest<>("spring", options.schedule(), asker, cores, Contender.WEIR)) {
      for (Contender contender : Contender.values()) {
        if (options.has(contender)) {
          int port = Running.freePort();
          contest.enter(
              contender,
              GROUP,
              launcher.jvm(
                  "spring",
                  Running.newDirectory("spring"),
                  applications.words(contender, port),
                  port,
                  Optional.empty()),
              Requests.answered(
                  CLIENTS,
                  contender == Contender.PLAIN ? "content-type" : "x-ratelimit-remaining",
                  "{\"id\":"));
        }
      }
      contest.run();
      MarkdownTable adds = new MarkdownTable("", "µs of the server's core that it adds");
      for (Contender filter : List.of(Contender.BUCKET4J, Contender.WEIR)) {
        contest
            .more(GROUP, filter, Contender.PLAIN, Sample::serverMicros)
            .ifPresent(more -> adds.row(filter.label(), more.text()));
      }
      List<Bar> bars = new ArrayList<>();
      contest
          .more(GROUP, Contender.WEIR, Contender.BUCKET4J, Sample::serverMicros)
          .ifPresent(more -> bars.add(bar(more)));
      return Scenario.REQUEST.section(
          "%s%n%s%n%s".formatted(contest.table(GROUP, Contender.PLAIN), adds, contest.remark()),
          bars);
    }
  }

  private static Bar bar(Spread more) {
    return Bar.of("µs that Weir adds more than Bucket4j", Bar.Direction.AT_MOST, 0, 0, more);
  }
}
