package io.weir.bench.gateway;

import io.weir.bench.contest.Asker;
import io.weir.bench.contest.Checkout;
import io.weir.bench.contest.Launcher;
import io.weir.bench.contest.RunOptions;
import io.weir.bench.fork.ChildJvm;
import io.weir.bench.fork.Quietness;
import io.weir.bench.gateway.limiting.LimitingSuite;
import io.weir.bench.line.Words;
import io.weir.bench.program.Cores;
import io.weir.bench.program.Programs;
import io.weir.bench.race.RaceSuite;
import io.weir.bench.race.Schedule;
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
public final class GatewaySuite implements RaceSuite {
  /** What {@code --help} says. */
  public static final String HELP =
      """
      Usage: ./bench [--jdk N] gateway [OPTION...] [SCENARIO...]

      Measures Weir's gateway beside nginx and beside Spring Cloud Gateway with its limiter, on this
      machine, which should have nothing else to do. The gateway has one core to itself; whoever
      asks it, the server behind it and Redis share the others. Rounds in random order; what counts
      is the median of the ratios within a round. About fifteen minutes without options.

      %s\
        --only A,B         only these contenders

      Scenarios: %s
      Contenders: %s
      """
          .formatted(
              RunOptions.HELP, String.join(" ", Scenario.ids()), String.join(" ", Contender.ids()));

  private final Set<Scenario> scenarios = EnumSet.noneOf(Scenario.class);
  private final Set<Contender> only = EnumSet.noneOf(Contender.class);
  private final Quietness quietness = new Quietness();
  private final RunOptions options = new RunOptions();
  private String remark = "";

  private GatewaySuite() {}

  /** A suite by the words of the command line. */
  public static GatewaySuite parse(List<String> words) {
    GatewaySuite suite = new GatewaySuite();
    for (Words rest = new Words(words); rest.hasNext(); ) {
      String word = rest.next();
      if (word.equals("--only")) {
        rest.values().stream().map(Contender::of).forEach(suite.only::add);
      } else if (!suite.options.take(word, rest)) {
        suite.scenarios.add(Scenario.of(Words.requireNoOption(word)));
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
    Schedule schedule = options.schedule(quietness);
    Cores cores = new Cores();
    Launcher launcher = new Launcher(cores, options.flights());
    List<Section> sections = new ArrayList<>();
    try (Asker asker = new Asker(cores);
        Gateways gateways = new Gateways(Checkout.here(), launcher, cores)) {
      asker.shareCoreWith(gateways.upstream());
      Proxying proxying = new Proxying(schedule, cores, asker, gateways, only);
      for (Scenario scenario : scenarios) {
        sections.add(section(scenario, proxying, schedule));
      }
    }
    remark =
        "; nginx %s%s"
            .formatted(
                Programs.nginxVersion(),
                launcher.redisVersion().isEmpty() ? "" : ", Redis " + launcher.redisVersion());
    return sections;
  }

  private static Section section(Scenario scenario, Proxying proxying, Schedule schedule)
      throws InterruptedException {
    try {
      return switch (scenario) {
        case PROXY -> proxying.proxy();
        case REFUSALS -> proxying.refusals();
        case LIMITING ->
            new LimitingSuite(scenario.section(), scenario.title(), schedule)
                .run(new ChildJvm(List.of(), schedule.quietness()));
      };
    } catch (IOException | ChildJvm.Failed e) {
      System.err.println("FAILED: " + e.getMessage());
      return new Section(scenario.section(), scenario.title(), "failed", List.of());
    }
  }
}
