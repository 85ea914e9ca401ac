package io.weir.bench.filter;

import io.weir.bench.cli.Choice;
import io.weir.bench.program.Cores;
import io.weir.bench.report.Section;
import io.weir.bench.rounds.SuiteScenario;
import io.weir.bench.server.Checkout;
import io.weir.bench.server.Launcher;
import io.weir.bench.server.RunOptions;
import io.weir.bench.server.ServerSuite;
import java.io.IOException;
import java.util.List;

/** The scenarios, one after the other. */
public final class FilterSuite extends ServerSuite<Scenario, Contender> {
  /** The text of {@code --help}. */
  public static final String HELP =
      """
      Usage: ./bench [--jdk N] spring [OPTION...] [SCENARIO...]

      Measures what Weir's starter adds to each request of a Spring Boot application and to its
      start, compared with a typical hand-written filter around Bucket4j. The machine should be idle
      otherwise. The application has one core to itself, and each measurement has its own warmed-up
      JVM. Rounds in random order; the result is the difference within a round. About ten minutes
      without options.

      %s
      Scenarios: %s
      Contenders: %s
      """
          .formatted(
              RunOptions.HELP, Choice.ids(Scenario.values()), Choice.ids(Contender.values()));

  private FilterSuite() {
    super(Scenario.class, Contender.class);
  }

  /** A suite with these command line arguments. */
  public static FilterSuite parse(List<String> words) {
    FilterSuite suite = new FilterSuite();
    suite.options.parse(words, (word, rest) -> false);
    return suite;
  }

  /** The sections of the report, in order. */
  public static List<String> sections() {
    return SuiteScenario.sections(Scenario.values());
  }

  @Override
  public List<Section> run() throws IOException, InterruptedException {
    Cores cores = new Cores();
    Launcher launcher = new Launcher(cores, options.flights());
    FilterApplications filterApplications = new FilterApplications(Checkout.here());
    return options.measure(
        scenario ->
            switch (scenario) {
              case REQUEST -> new FilterCost(options, cores, launcher, filterApplications).run();
              case START -> new StartupCost(filterApplications, options.schedule().rounds()).run();
            });
  }
}
