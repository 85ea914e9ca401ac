package io.weir.bench.filter;

import io.weir.bench.contest.Asker;
import io.weir.bench.contest.Contest;
import io.weir.bench.contest.Launcher;
import io.weir.bench.contest.Requests;
import io.weir.bench.contest.RunOptions;
import io.weir.bench.contest.Sample;
import io.weir.bench.contest.Service;
import io.weir.bench.program.Cores;
import io.weir.bench.program.Running;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Section;
import io.weir.bench.report.Spread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The cost of a request to an application with and without a filter: the difference within a round
 * is what the filter adds. No request is refused.
 *
 * <p>Each measurement has its own JVM, the only one at that time. Two JVMs of the same application
 * may differ by more than what a filter adds.
 */
final class Adding {
  private static final int CLIENTS = 10_000;
  private static final String GROUP = "requests";
  private static final List<Contender> FILTERS =
      List.of(Contender.BUCKET4J, Contender.BUCKET4J_FIVE, Contender.WEIR);

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
          contest.enterFresh(
              contender,
              GROUP,
              () -> start(contender),
              Requests.answered(
                  CLIENTS,
                  contender == Contender.PLAIN ? "content-type" : "x-ratelimit-remaining",
                  "{\"id\":"));
        }
      }
      contest.run();
      MarkdownTable adds =
          new MarkdownTable("", "µs of the server's core that it adds", "Weir's ÷ it");
      Optional<Spread> ours = adds(contest, Contender.WEIR);
      for (Contender filter : FILTERS) {
        adds(contest, filter)
            .ifPresent(
                more ->
                    adds.row(
                        filter.label(),
                        more.text(),
                        ours.map(weir -> Numbers.three(weir.median() / more.median())).orElse("")));
      }
      List<Bar> bars = new ArrayList<>();
      contest
          .more(GROUP, Contender.WEIR, Contender.BUCKET4J, Sample::serverMicros)
          .ifPresent(more -> bars.add(bar(more)));
      return Scenario.REQUEST.section(
          "%s%n%s%n%s"
              .formatted(
                  contest.table(GROUP, Contender.PLAIN),
                  adds,
                  contest.remark() + " Each in a JVM of its own."),
          bars);
    }
  }

  private Service start(Contender contender) throws IOException {
    int port = Running.freePort();
    return launcher.jvm(
        "spring-" + contender.id(),
        Running.newDirectory("spring"),
        applications.words(contender, port),
        port,
        Optional.empty());
  }

  private static Optional<Spread> adds(Contest<Contender> contest, Contender filter) {
    return contest.more(GROUP, filter, Contender.PLAIN, Sample::serverMicros);
  }

  private static Bar bar(Spread more) {
    return Bar.of("µs that Weir adds more than Bucket4j", Bar.Direction.AT_MOST, 0, 0, more);
  }
}
