package io.weir.bench.gateway;

import io.weir.bench.cli.Choice;
import io.weir.bench.gateway.limiting.LimitingSuite;
import io.weir.bench.program.Cores;
import io.weir.bench.program.Programs;
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
public final class GatewaySuite extends ServerSuite<Scenario, Contender> {
  /** The text of {@code --help}. */
  public static final String HELP =
      """
      Usage: ./bench [--jdk N] gateway [OPTION...] [SCENARIO...]

      Compares Weir's gateway with nginx and with Spring Cloud Gateway and its limiter. The machine
      should be idle otherwise. The gateway has one core to itself; the load generator, the server
      behind and Redis share the others. Rounds in random order; the result is the median of the
      ratios within a round. About fifteen minutes without options.

      %s
      Scenarios: %s
      Contenders: %s
      """
          .formatted(
              RunOptions.HELP, Choice.ids(Scenario.values()), Choice.ids(Contender.values()));

  private GatewaySuite() {
    super(Scenario.class, Contender.class);
  }

  /** A suite with these command line arguments. */
  public static GatewaySuite parse(List<String> words) {
    GatewaySuite suite = new GatewaySuite();
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
    try (LoadGenerator loadGenerator = new LoadGenerator(cores);
        Gateways gateways = new Gateways(Checkout.here(), launcher, cores)) {
      loadGenerator.shareCoreWith(gateways.upstream());
      ProxyThroughput proxyThroughput =
          new ProxyThroughput(options, cores, loadGenerator, gateways);
      List<Section> sections =
          options.measure(
              scenario ->
                  switch (scenario) {
                    case PROXY -> proxyThroughput.proxy();
                    case REFUSALS -> proxyThroughput.refusals();
                    case SEEING -> proxyThroughput.seeing();
                    case LIMITING -> new LimitingSuite(scenario, options.schedule()).run();
                  });
      remark(
          "; nginx %s%s"
              .formatted(
                  Programs.nginxVersion(),
                  launcher.redisVersion().isEmpty() ? "" : ", Redis " + launcher.redisVersion()));
      return sections;
    }
  }
}
