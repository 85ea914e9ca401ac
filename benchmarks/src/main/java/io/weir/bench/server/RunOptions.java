package io.weir.bench.server;

import io.weir.bench.cli.ArgumentReader;
import io.weir.bench.cli.Choice;
import io.weir.bench.fork.ChildJvm;
import io.weir.bench.fork.MachineLoad;
import io.weir.bench.report.Section;
import io.weir.bench.rounds.Schedule;
import io.weir.bench.rounds.SuiteScenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The common options of server suites: scenarios and contenders, duration and rounds, and where the
 * results go.
 *
 * @param <S> the scenarios
 * @param <C> the contenders
 */
public final class RunOptions<S extends Enum<S> & SuiteScenario, C extends Enum<C> & Competitor> {
  /** The help of these options. */
  public static final String HELP =
      """
        --quick            2 short rounds; a first look, not results
        --rounds N         6 unless set
        --seconds N        seconds for each measurement (3)
        --warm-up N        seconds of warm-up for each kind of request to a JVM (6)
        --only A,B         only these contenders
        --jfr DIRECTORY    directory for flight recordings of servers that are JVMs
        --report FILE      also writes the results into FILE, between its marks
      """;

  private static final int MILLIS = 1000;

  private final Class<S> all;
  private final Class<C> contenders;
  private final Set<S> scenarios;
  private final Set<C> only;
  private final MachineLoad machineLoad = new MachineLoad();
  private boolean quick;
  private int rounds;
  private int seconds;
  private int warmUp;
  private Optional<Path> flights = Optional.empty();
  private Optional<Path> report = Optional.empty();

  /** Options with their defaults. */
  public RunOptions(Class<S> scenarios, Class<C> contenders) {
    this.all = scenarios;
    this.contenders = contenders;
    this.scenarios = EnumSet.noneOf(scenarios);
    this.only = EnumSet.noneOf(contenders);
  }

  /** Options that only one suite has. */
  public interface More {
    /** Takes an option with its value; returns whether it is one of these. */
    boolean take(String word, ArgumentReader rest);
  }

  /** Parses the command line. */
  public void parse(List<String> words, More more) {
    for (ArgumentReader rest = new ArgumentReader(words); rest.hasNext(); ) {
      String word = rest.next();
      if (!more.take(word, rest)) {
        take(word, rest);
      }
    }
  }

  private void take(String word, ArgumentReader rest) {
    switch (word) {
      case "--quick" -> quick = true;
      case "--rounds" -> rounds = rest.positive();
      case "--seconds" -> seconds = rest.positive();
      case "--warm-up" -> warmUp = rest.positive();
      case "--only" -> rest.values().forEach(id -> only.add(named(contenders, "contender", id)));
      case "--jfr" -> flights = Optional.of(rest.path());
      case "--report" -> report = Optional.of(rest.path());
      default -> scenarios.add(named(all, "scenario", ArgumentReader.requireNoOption(word)));
    }
  }

  private static <T extends Choice> T named(Class<T> type, String what, String id) {
    return Choice.of(type.getEnumConstants(), what, id);
  }

  /** Measures a scenario. */
  public interface Measuring<S> {
    /** Returns the results. */
    Section run(S scenario) throws IOException, InterruptedException, ChildJvm.Failed;
  }

  /** Measures the chosen scenarios one after the other; all by default. */
  public List<Section> measure(Measuring<S> measuring) throws InterruptedException {
    List<Section> sections = new ArrayList<>();
    for (S scenario : scenarios.isEmpty() ? EnumSet.allOf(all) : scenarios) {
      try {
        sections.add(measuring.run(scenario));
      } catch (IOException | ChildJvm.Failed e) {
        sections.add(scenario.failed(e));
      }
    }
    return sections;
  }

  /** Whether it takes part. */
  public boolean has(C contender) {
    return only.isEmpty() || only.contains(contender);
  }

  /** The given value, or the default. */
  public int or(int given, int ifQuick, int usual) {
    return given > 0 ? given : quick ? ifQuick : usual;
  }

  /** The duration and number of measurements. */
  public Schedule schedule() {
    return new Schedule(
        or(rounds, 2, 6), MILLIS * or(seconds, 1, 3), MILLIS * or(warmUp, 3, 6), machineLoad);
  }

  /** How busy the machine was with other work. */
  public MachineLoad machineLoad() {
    return machineLoad;
  }

  /** The directory for JVMs' flight recordings, if any; creates it. */
  public Optional<Path> flights() throws IOException {
    if (flights.isPresent()) {
      Files.createDirectories(flights.get());
    }
    return flights;
  }

  /** The file to write the results to as well. */
  public Optional<Path> report() {
    return report;
  }
}
