package io.weir.bench.filter;

import io.weir.bench.program.Cores;
import io.weir.bench.program.RunningProgram;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Section;
import io.weir.bench.report.Spread;
import io.weir.bench.server.BenchmarkRequests;
import io.weir.bench.server.Launcher;
import io.weir.bench.server.LoadGenerator;
import io.weir.bench.server.RunOptions;
import io.weir.bench.server.Sample;
import io.weir.bench.server.ServerComparison;
import io.weir.bench.server.ServerProcess;
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
final class FilterCost {
  private static final int CLIENTS = 10_000;
  private static final String GROUP = "requests";
  private static final List<Contender> FILTERS =
      List.of(Contender.BUCKET4J, Contender.BUCKET4J_FIVE, Contender.WEIR);

  private final RunOptions<Scenario, Contender> options;
  private final Cores cores;
  private final Launcher launcher;
  private final FilterApplications filterApplications;

  FilterCost(
      RunOptions<Scenario, Contender> options,
      Cores cores,
      Launcher launcher,
      FilterApplications filterApplications) {
    this.options = options;
    this.cores = cores;
    this.launcher = launcher;
    this.filterApplications = filterApplications;
  }

  Section run() throws IOException, InterruptedException {
    try (LoadGenerator loadGenerator = new LoadGenerator(cores);
        ServerComparison<Contender> serverComparison =
            new ServerComparison<>(
                "spring", options.schedule(), loadGenerator, cores, Contender.WEIR)) {
      for (Contender contender : Contender.values()) {
        if (options.has(contender)) {
          serverComparison.enterFresh(
              contender,
              GROUP,
              () -> start(contender),
              BenchmarkRequests.responded(
                  CLIENTS,
                  contender == Contender.PLAIN ? "content-type" : "x-ratelimit-remaining",
                  "{\"id\":"));
        }
      }
      serverComparison.run();
      MarkdownTable adds =
          new MarkdownTable("", "µs of the server's core that it adds", "Weir's ÷ it");
      Optional<Spread> ours = adds(serverComparison, Contender.WEIR);
      for (Contender filter : FILTERS) {
        adds(serverComparison, filter)
            .ifPresent(
                more ->
                    adds.row(
                        filter.label(),
                        more.text(),
                        ours.map(weir -> Numbers.three(weir.median() / more.median())).orElse("")));
      }
      List<Bar> bars = new ArrayList<>();
      serverComparison
          .more(GROUP, Contender.WEIR, Contender.BUCKET4J, Sample::serverMicros)
          .ifPresent(more -> bars.add(bar(more)));
      return Scenario.REQUEST.section(
          "%s%n%s%n%s"
              .formatted(
                  serverComparison.table(GROUP, Contender.PLAIN),
                  adds,
                  serverComparison.remark() + " Each in a JVM of its own."),
          bars);
    }
  }

  private ServerProcess start(Contender contender) throws IOException {
    int port = RunningProgram.freePort();
    return launcher.jvm(
        "spring-" + contender.id(),
        RunningProgram.newDirectory("spring"),
        filterApplications.words(contender, port),
        port,
        Optional.empty());
  }

  private static Optional<Spread> adds(
      ServerComparison<Contender> serverComparison, Contender filter) {
    return serverComparison.more(GROUP, filter, Contender.PLAIN, Sample::serverMicros);
  }

  private static Bar bar(Spread more) {
    return Bar.of("µs that Weir adds more than Bucket4j", Bar.Direction.AT_MOST, 0, 0, more);
  }
}
