package io.weir.bench.service;

import io.weir.bench.fork.Quietness;
import io.weir.bench.line.Words;
import io.weir.bench.program.Cores;
import io.weir.bench.race.Schedule;
import io.weir.bench.report.Section;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The scenarios, one after the other. */
public final class ServiceSuite {
  /** What {@code --help} says. */
  public static final String HELP =
      """
      Usage: ./bench [--jdk N] service [OPTION...] [SCENARIO...]

      Measures Weir as a service beside an empty service of the same stack and beside its peers, on
      this machine, which should have nothing else to do. The server has one core to itself,
      whoever asks it another. Rounds in random order; what counts is the median of the ratios
      within a round. About twelve minutes without options.

        --quick            2 short rounds; no results, but a first look
        --rounds N         6 unless set
        --seconds N        of each measurement (3)
        --warm-up N        seconds for each question to a JVM before (6)
        --starts N         how often the server is started on each JDK (7)
        --only A,B         only these contenders
        --ratelimit PATH   the program of envoyproxy/ratelimit; installed where there is a Go toolchain
        --gubernator PATH  the program of Gubernator
        --limitador PATH   the program of Limitador
        --jfr DIRECTORY    servers that are JVMs leave flight recordings there
        --report FILE      also writes the results into FILE, between its marks

      Scenarios: %s
      Contenders: %s
      """
          .formatted(String.join(" ", Scenario.ids()), String.join(" ", Contender.ids()));

  private static final int MILLIS = 1000;

  private final Set<Scenario> scenarios = EnumSet.noneOf(Scenario.class);
  private final Set<Contender> only = EnumSet.noneOf(Contender.class);
  private final Quietness quietness = new Quietness();
  private Peers peers = Peers.NONE;
  private boolean quick;
  private int rounds;
  private int seconds;
  private int warmUp;
  private int starts;
  private Optional<Path> flights = Optional.empty();
  private Optional<Path> report = Optional.empty();
  private String remark = "";

  private ServiceSuite() {}

  /** A suite by the words of the command line. */
  public static ServiceSuite parse(List<String> words) {
    ServiceSuite suite = new ServiceSuite();
    for (Words rest = new Words(words); rest.hasNext(); ) {
      String word = rest.next();
      switch (word) {
        case "--quick" -> suite.quick = true;
        case "--rounds" -> suite.rounds = rest.positive();
        case "--seconds" -> suite.seconds = rest.positive();
        case "--warm-up" -> suite.warmUp = rest.positive();
        case "--starts" -> suite.starts = rest.positive();
        case "--only" -> rest.values().stream().map(Contender::of).forEach(suite.only::add);
        case "--ratelimit" -> suite.peers = suite.peers.withRatelimit(rest.path());
        case "--gubernator" -> suite.peers = suite.peers.withGubernator(rest.path());
        case "--limitador" -> suite.peers = suite.peers.withLimitador(rest.path());
        case "--jfr" -> suite.flights = Optional.of(rest.path());
        case "--report" -> suite.report = Optional.of(rest.path());
        default -> suite.scenarios.add(Scenario.of(Words.requireNoOption(word)));
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

  /** Where to write the results too. */
  public Optional<Path> report() {
    return report;
  }

  /** How busy the machine was with other things. */
  public Quietness quietness() {
    return quietness;
  }

  /** What else is to be known about the run. */
  public String remark() {
    return remark;
  }

  /** Measures, and tells what was found. */
  public List<Section> run() throws IOException, InterruptedException {
    if (flights.isPresent()) {
      Files.createDirectories(flights.get());
    }
    Checkout checkout = Checkout.here();
    Schedule schedule =
        new Schedule(
            or(rounds, 2, 6), MILLIS * or(seconds, 1, 3), MILLIS * or(warmUp, 3, 6), quietness);
    Cores cores = new Cores();
    Servers servers = new Servers(checkout.jar(), cores, flights);
    List<Section> sections = new ArrayList<>();
    try (Asker asker = new Asker(cores)) {
      Stage stage = new Stage(schedule, cores, servers, asker, peers, only);
      for (Scenario scenario : scenarios) {
        sections.add(section(scenario, stage, checkout));
      }
    }
    remark = servers.redisVersion().isEmpty() ? "" : "; Redis " + servers.redisVersion();
    return sections;
  }

  private int or(int given, int ifQuick, int usual) {
    return given > 0 ? given : quick ? ifQuick : usual;
  }

  private Section section(Scenario scenario, Stage stage, Checkout checkout)
      throws InterruptedException {
    try {
      Answering answering = new Answering(stage);
      return switch (scenario) {
        case GRPC -> answering.inMemory();
        case HTTP -> answering.check();
        case REDIS -> answering.onRedis();
        case START -> new Starting(checkout, or(starts, 3, 7)).run();
      };
    } catch (IOException e) {
      System.err.println("FAILED: " + e.getMessage());
      return new Section(scenario.section(), scenario.title(), "failed", List.of());
    }
  }
}
