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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The scenarios, one after the other. */
public final class RedisSuite implements RoundsSuite {
  /** The text of {@code --help}. */
  public static final String HELP =
      """
      Usage: ./bench [--jdk N] redis [OPTION...] [SCENARIO...]

      Compares Weir on Redis with its peers and with the smallest possible script driven by
      redis-benchmark. The machine should be idle otherwise. Redis has one core to itself, its
      clients another. Rounds in random order; the result is the median of the ratios within a
      round. About half an hour without options.

        --quick          2 short rounds; a first look, not results
        --rounds N       10 unless set
        --ms N           milliseconds for each measurement (2000)
        --only A,B       only these contenders beside the bare script
        --settings TEXT  parameters of Weir's URL, such as connections=2
        --variant TEXT   Weir with these parameters too, in keys, hot and nodes; may be repeated
        --jfr DIRECTORY  directory for flight recordings of measuring JVMs
        --report FILE    also writes the results into FILE, between its marks

      Scenarios: %s
      Contenders: %s
      """
          .formatted(Choice.ids(Scenario.values()), Choice.ids(Client.contenders()));

  private static final int WARM_UP_MILLIS = 8000;
  private static final int QUICK_WARM_UP_MILLIS = 4000;

  private final Set<Scenario> scenarios = EnumSet.noneOf(Scenario.class);
  private final MachineLoad unknown = new MachineLoad();
  private List<Client> clients = List.of(Client.contenders());
  private final List<String> variants = new ArrayList<>();
  private String settings = "";
  private boolean quick;
  private int rounds;
  private int millis;
  private Optional<Path> flights = Optional.empty();
  private Optional<Path> report = Optional.empty();
  private Optional<RedisSetup> redisSetup = Optional.empty();

  private RedisSuite() {}

  /** A suite with these command line arguments. */
  public static RedisSuite parse(List<String> words) {
    RedisSuite suite = new RedisSuite();
    for (ArgumentReader rest = new ArgumentReader(words); rest.hasNext(); ) {
      String word = rest.next();
      switch (word) {
        case "--quick" -> suite.quick = true;
        case "--rounds" -> suite.rounds = rest.positive();
        case "--ms" -> suite.millis = rest.positive();
        case "--only" -> suite.clients = rest.values().stream().map(Client::of).toList();
        case "--settings" -> suite.settings = rest.value();
        case "--variant" -> suite.variants.add(rest.value());
        case "--jfr" -> suite.flights = Optional.of(rest.path());
        case "--report" -> suite.report = Optional.of(rest.path());
        default ->
            suite.scenarios.add(
                Choice.of(Scenario.values(), "scenario", ArgumentReader.requireNoOption(word)));
      }
    }
    if (suite.scenarios.isEmpty()) {
      suite.scenarios.addAll(EnumSet.allOf(Scenario.class));
    }
    return suite;
  }

  /** The sections of the report, in order. */
  public static List<String> sections() {
    return SuiteScenario.sections(Scenario.values());
  }

  @Override
  public Optional<Path> report() {
    return report;
  }

  @Override
  public MachineLoad machineLoad() {
    return redisSetup.map(RedisSetup::machineLoad).orElse(unknown);
  }

  @Override
  public String remark() {
    return redisSetup.map(s -> "; Redis " + s.version()).orElse("");
  }

  @Override
  public List<Section> run() throws IOException, InterruptedException {
    if (flights.isPresent()) {
      Files.createDirectories(flights.get());
    }
    RedisSetup now =
        new RedisSetup(
            new Schedule(
                rounds > 0 ? rounds : quick ? 2 : 10,
                millis > 0 ? millis : quick ? 700 : 2000,
                quick ? QUICK_WARM_UP_MILLIS : WARM_UP_MILLIS,
                new MachineLoad()),
            clients,
            settings,
            variants,
            flights);
    redisSetup = Optional.of(now);
    List<Section> sections = new ArrayList<>();
    for (Scenario scenario : scenarios) {
      sections.add(section(scenario, now));
    }
    return sections;
  }

  private static Section section(Scenario scenario, RedisSetup redisSetup)
      throws InterruptedException {
    try {
      Throughput throughput = new Throughput(redisSetup);
      return switch (scenario) {
        case KEYS -> throughput.manyKeys();
        case HOT -> throughput.hotKey();
        case NODES -> throughput.nodes();
        case SCRIPT -> new ScriptCost(redisSetup).run();
        case FLOOD -> new Flood(redisSetup).run();
        case LATENCY -> new Latency(redisSetup).run();
        case MEMORY -> new Memory(redisSetup).run();
        case HANG -> new Hang(redisSetup).run();
      };
    } catch (IOException e) {
      return scenario.failed(e);
    }
  }
}
