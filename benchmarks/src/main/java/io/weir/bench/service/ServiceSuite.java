package io.weir.bench.service;

import io.weir.bench.cli.ArgumentReader;
import io.weir.bench.cli.Choice;
import io.weir.bench.program.Cores;
import io.weir.bench.report.Section;
import io.weir.bench.rounds.SuiteScenario;
import io.weir.bench.server.Checkout;
import io.weir.bench.server.Launcher;
import io.weir.bench.server.LoadGenerator;
import io.weir.bench.server.RunOptions;
import io.weir.bench.server.ServerSuite;
import java.io.IOException;
import java.util.List;

/** The scenarios, one after the other. */
public final class ServiceSuite extends ServerSuite<Scenario, Contender> {
  /** The text of {@code --help}. */
  public static final String HELP =
      """
      Usage: ./bench [--jdk N] service [OPTION...] [SCENARIO...]

      Compares Weir as a service with an empty service on the same stack and with its peers. The
      machine should be idle otherwise. The server has one core to itself, its clients another.
      Rounds in random order; the result is the median of the ratios within a round. About twelve
      minutes without options.

      %s\
        --starts N         how often the server is started on each JDK (7)
        --ratelimit PATH   the program of envoyproxy/ratelimit; installed where there is a Go toolchain
        --gubernator PATH  the program of Gubernator
        --limitador PATH   the program of Limitador

      Scenarios: %s
      Contenders: %s
      """
          .formatted(
              RunOptions.HELP, Choice.ids(Scenario.values()), Choice.ids(Contender.values()));

  private Peers peers = Peers.NONE;
  private int starts;

  private ServiceSuite() {
    super(Scenario.class, Contender.class);
  }

  /** A suite with these command line arguments. */
  public static ServiceSuite parse(List<String> words) {
    ServiceSuite suite = new ServiceSuite();
    suite.options.parse(words, suite::take);
    return suite;
  }

  private boolean take(String word, ArgumentReader rest) {
    switch (word) {
      case "--starts" -> starts = rest.positive();
      case "--ratelimit" -> peers = peers.withRatelimit(rest.path());
      case "--gubernator" -> peers = peers.withGubernator(rest.path());
      case "--limitador" -> peers = peers.withLimitador(rest.path());
      default -> {
        return false;
      }
    }
    return true;
  }

  /** The sections of the report, in order. */
  public static List<String> sections() {
    return SuiteScenario.sections(Scenario.values());
  }

  @Override
  public List<Section> run() throws IOException, InterruptedException {
    Checkout checkout = Checkout.here();
    Cores cores = new Cores();
    Launcher launcher = new Launcher(cores, options.flights());
    Servers servers = new Servers(checkout.jar(), launcher);
    try (LoadGenerator loadGenerator = new LoadGenerator(cores)) {
      ServiceSetup serviceSetup = new ServiceSetup(options, cores, servers, loadGenerator, peers);
      ServiceThroughput serviceThroughput = new ServiceThroughput(serviceSetup);
      List<Section> sections =
          options.measure(
              scenario ->
                  switch (scenario) {
                    case GRPC -> serviceThroughput.inMemory();
                    case HTTP -> serviceThroughput.check();
                    case REDIS -> serviceThroughput.onRedis();
                    case START -> new ServiceStartup(checkout, options.or(starts, 3, 7)).run();
                  });
      remark(launcher.redisVersion().isEmpty() ? "" : "; Redis " + launcher.redisVersion());
      return sections;
    }
  }
}
