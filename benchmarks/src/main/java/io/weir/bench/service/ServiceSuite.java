package io.weir.bench.service;

import io.weir.bench.contest.Asker;
import io.weir.bench.contest.Checkout;
import io.weir.bench.contest.Launcher;
import io.weir.bench.contest.RunOptions;
import io.weir.bench.fork.Quietness;
import io.weir.bench.line.Choice;
import io.weir.bench.line.Words;
import io.weir.bench.program.Cores;
import io.weir.bench.race.Chapter;
import io.weir.bench.race.RaceSuite;
import io.weir.bench.report.Section;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The scenarios, one after the other. */
public final class ServiceSuite implements RaceSuite {
  /** What {@code --help} says. */
  public static final String HELP =
      """
      Usage: ./bench [--jdk N] service [OPTION...] [SCENARIO...]

      Measures Weir as a service beside an empty service of the same stack and beside its peers, on
      this machine, which should have nothing else to do. The server has one core to itself,
      whoever asks it another. Rounds in random order; what counts is the median of the ratios
      within a round. About twelve minutes without options.

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

  private final RunOptions<Scenario, Contender> options =
      new RunOptions<>(Scenario.class, Contender.class);
  private Peers peers = Peers.NONE;
  private int starts;
  private String remark = "";

  private ServiceSuite() {}

  /** A suite by the words of the command line. */
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

  /** What is reported, in order. */
  public static List<String> sections() {
    return Chapter.sections(Scenario.values());
  }

  @Override
  public Optional<Path> report() {
    return options.report();
  }

  @Override
  public Quietness quietness() {
    return options.quietness();
  }

  @Override
  public String remark() {
    return remark;
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
      remark = launcher.redisVersion().isEmpty() ? "" : "; Redis " + launcher.redisVersion();
      return sections;
    }
  }
}
