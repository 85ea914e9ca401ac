package io.weir.bench.service;

import io.weir.bench.contest.Asker;
import io.weir.bench.contest.Checkout;
import io.weir.bench.contest.Launcher;
import io.weir.bench.contest.RunOptions;
import io.weir.bench.fork.Quietness;
import io.weir.bench.line.Words;
import io.weir.bench.program.Cores;
import io.weir.bench.race.RaceSuite;
import io.weir.bench.report.Section;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

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
        --only A,B         only these contenders
        --ratelimit PATH   the program of envoyproxy/ratelimit; installed where there is a Go toolchain
        --gubernator PATH  the program of Gubernator
        --limitador PATH   the program of Limitador

      Scenarios: %s
      Contenders: %s
      """
          .formatted(
              RunOptions.HELP, String.join(" ", Scenario.ids()), String.join(" ", Contender.ids()));

  private final Set<Scenario> scenarios = EnumSet.noneOf(Scenario.class);
  private final Set<Contender> only = EnumSet.noneOf(Contender.class);
  private final Quietness quietness = new Quietness();
  private Peers peers = Peers.NONE;
  private final RunOptions options = new RunOptions();
  private int starts;
  private String remark = "";

  private ServiceSuite() {}

  /** A suite by the words of the command line. */
  public static ServiceSuite parse(List<String> words) {
    ServiceSuite suite = new ServiceSuite();
    for (Words rest = new Words(words); rest.hasNext(); ) {
      String word = rest.next();
      switch (word) {
        case "--starts" -> suite.starts = rest.positive();
        case "--only" -> rest.values().stream().map(Contender::of).forEach(suite.only::add);
        case "--ratelimit" -> suite.peers = suite.peers.withRatelimit(rest.path());
        case "--gubernator" -> suite.peers = suite.peers.withGubernator(rest.path());
        case "--limitador" -> suite.peers = suite.peers.withLimitador(rest.path());
        default -> {
          if (!suite.options.take(word, rest)) {
            suite.scenarios.add(Scenario.of(Words.requireNoOption(word)));
          }
        }
      }
    }
    if (suite.scenarios.isEmpty()) {
      suite.scenarios.addAll(EnumSet.allOf(Scenario.class));
    }
    return suite;
  }

  /** What is reported, in order. */
  public static List<String> sections() {
    return Arrays.stream(Scenario.values()).map(Scenario::section).toList();
  }

  @Override
  public Optional<Path> report() {
    return options.report();
  }

  @Override
  public Quietness quietness() {
    return quietness;
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
    List<Section> sections = new ArrayList<>();
    try (Asker asker = new Asker(cores)) {
      Stage stage = new Stage(options.schedule(quietness), cores, servers, asker, peers, only);
      for (Scenario scenario : scenarios) {
        sections.add(section(scenario, stage, checkout));
      }
    }
    remark = launcher.redisVersion().isEmpty() ? "" : "; Redis " + launcher.redisVersion();
    return sections;
  }

  private Section section(Scenario scenario, Stage stage, Checkout checkout)
      throws InterruptedException {
    try {
      Answering answering = new Answering(stage);
      return switch (scenario) {
        case GRPC -> answering.inMemory();
        case HTTP -> answering.check();
        case REDIS -> answering.onRedis();
        case START -> new Starting(checkout, options.or(starts, 3, 7)).run();
      };
    } catch (IOException e) {
      System.err.println("FAILED: " + e.getMessage());
      return new Section(scenario.section(), scenario.title(), "failed", List.of());
    }
  }
}
