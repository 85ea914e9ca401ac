package io.weir.bench.redis;

import io.weir.bench.cli.ArgumentReader;
import io.weir.bench.cli.Choice;
import io.weir.bench.fork.MachineLoad;
import io.weir.bench.redis.node.Client;
import io.weir.bench.report.Section;
import io.weir.bench.rounds.RoundsSuite;
import io.weir.bench.rounds.Schedule;
import io.weir.bench.rounds.SuiteScenario;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What each consistency costs and saves on Redis: the scenarios, one after the other. */
public final class ScaleSuite implements RoundsSuite {
  /** The text of {@code --help}. */
  public static final String HELP =
      """
      Usage: ./bench [--jdk N] scale [OPTION...] [SCENARIO...]

      Measures what 'leased', 'eventual' and 'strict' cost and save compared with 'exact'. The
      machine should be idle otherwise. Redis has one core to itself, its clients another. Rounds in
      random order; the result is the median of the ratios within a round. About ten minutes without
      options.

        --quick          2 short rounds and few users; a first look, not results
        --rounds N       6 unless set
        --ms N           milliseconds for each measurement (2000)
        --report FILE    also writes the results into FILE, between its marks

      Scenarios: %s
      """
          .formatted(Choice.ids(ScaleScenario.values()));

  private static final int WARM_UP_MILLIS = 8000;
  private static final int QUICK_WARM_UP_MILLIS = 3000;

  private final Set<ScaleScenario> scenarios = EnumSet.noneOf(ScaleScenario.class);
  private final MachineLoad machineLoad = new MachineLoad();
  private boolean quick;
  private int rounds;
  private int millis;
  private Optional<Path> report = Optional.empty();
  private Optional<RedisSetup> redisSetup = Optional.empty();

  private ScaleSuite() {}

  /** A suite with these command line arguments. */
  public static ScaleSuite parse(List<String> words) {
    ScaleSuite suite = new ScaleSuite();
    for (ArgumentReader rest = new ArgumentReader(words); rest.hasNext(); ) {
      String word = rest.next();
      switch (word) {
        case "--quick" -> suite.quick = true;
        case "--rounds" -> suite.rounds = rest.positive();
        case "--ms" -> suite.millis = rest.positive();
        case "--report" -> suite.report = Optional.of(rest.path());
        default ->
            suite.scenarios.add(
                Choice.of(
                    ScaleScenario.values(), "scenario", ArgumentReader.requireNoOption(word)));
      }
    }
    if (suite.scenarios.isEmpty()) {
      suite.scenarios.addAll(EnumSet.allOf(ScaleScenario.class));
    }
    return suite;
  }

  /** The sections of the report, in order. */
  public static List<String> sections() {
    return SuiteScenario.sections(ScaleScenario.values());
  }

  @Override
  public Optional<Path> report() {
    return report;
  }

  @Override
  public MachineLoad machineLoad() {
    return machineLoad;
  }

  @Override
  public String remark() {
    return redisSetup.map(s -> "; Redis " + s.version()).orElse("");
  }

  @Override
  public List<Section> run() throws IOException, InterruptedException {
    RedisSetup now =
        new RedisSetup(
            new Schedule(
                rounds > 0 ? rounds : quick ? 2 : 6,
                millis > 0 ? millis : quick ? 700 : 2000,
                quick ? QUICK_WARM_UP_MILLIS : WARM_UP_MILLIS,
                machineLoad),
            List.of(Client.values()),
            "",
            List.of(),
            Optional.empty());
    redisSetup = Optional.of(now);
    List<Section> sections = new ArrayList<>();
    for (ScaleScenario scenario : scenarios) {
      sections.add(section(scenario, now));
    }
    return sections;
  }

  private Section section(ScaleScenario scenario, RedisSetup redisSetup)
      throws InterruptedException {
    try {
      return switch (scenario) {
        case LEASED -> new Leasing(redisSetup).run();
        case USERS -> new Users(redisSetup, quick).run();
        case STRICT -> new Strictness(redisSetup).run();
      };
    } catch (IOException e) {
      return scenario.failed(e);
    }
  }
}
