package io.weir.bench.service;

import io.weir.bench.contest.Asker;
import io.weir.bench.contest.Checkout;
import io.weir.bench.contest.ContestSuite;
import io.weir.bench.contest.Launcher;
import io.weir.bench.contest.RunOptions;
import io.weir.bench.line.Choice;
import io.weir.bench.line.Words;
import io.weir.bench.program.Cores;
import io.weir.bench.race.Chapter;
import io.weir.bench.report.Section;
import java.io.IOException;
import java.util.List;

/** The scenarios, one after the other. */
public final class ServiceSuite extends ContestSuite<Scenario, Contender> {
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

  private boolean take(String word, Words rest) {
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
    return Chapter.sections(Scenario.values());
  }

  @Override
  public List<Section> run() throws IOException, InterruptedException {
    Checkout checkout = Checkout.here();
    Cores cores = new Cores();
    Launcher launcher = new Launcher(cores, options.flights());
    Servers servers = new Servers(checkout.jar(), launcher);
    try (Asker asker = new Asker(cores)) {
      Stage stage = new Stage(options, cores, servers, asker, peers);
      Answering answering = new Answering(stage);
      List<Section> sections =
          options.measure(
              scenario ->
                  switch (scenario) {
                    case GRPC -> answering.inMemory();
                    case HTTP -> answering.check();
                    case REDIS -> answering.onRedis();
                    case START -> new Starting(checkout, options.or(starts, 3, 7)).run();
                  });
      remark(launcher.redisVersion().isEmpty() ? "" : "; Redis " + launcher.redisVersion());
      return sections;
    }
  }
}
