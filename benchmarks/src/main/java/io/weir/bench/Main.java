package io.weir.bench;

import io.weir.bench.allocation.AllocationSuite;
import io.weir.bench.filter.FilterSuite;
import io.weir.bench.footprint.FootprintSuite;
import io.weir.bench.fork.ChildJvm;
import io.weir.bench.fork.MachineLoad;
import io.weir.bench.gateway.GatewaySuite;
import io.weir.bench.insight.InsightSuite;
import io.weir.bench.matching.MatchingSuite;
import io.weir.bench.matching.ReloadSuite;
import io.weir.bench.path.PathSuite;
import io.weir.bench.pause.PauseSuite;
import io.weir.bench.redis.RedisSuite;
import io.weir.bench.redis.ScaleSuite;
import io.weir.bench.replay.ReplaySuite;
import io.weir.bench.report.Machine;
import io.weir.bench.report.ResultsFile;
import io.weir.bench.report.Section;
import io.weir.bench.rounds.RoundsSuite;
import io.weir.bench.service.ServiceSuite;
import io.weir.bench.speed.SpeedSuite;
import io.weir.bench.speed.Suite;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The command. Exit codes: 0 measured, 2 wrong usage. */
public final class Main {
  private Main() {}

  /** See {@link Options#help} and {@link RulesOptions#HELP}. */
  public static void main(String[] args) throws InterruptedException, IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    List<String> words = List.of(args);
    String suite = words.isEmpty() ? "" : words.get(0);
    if (words.contains("--help") || words.contains("-h")) {
      out.print(
          switch (suite) {
            case "rules" -> RulesOptions.HELP;
            case "seeing" -> RulesOptions.SEEING;
            case "path" -> RulesOptions.PATH;
            case "replay" -> ReplaySuite.HELP;
            case "redis" -> RedisSuite.HELP;
            case "scale" -> ScaleSuite.HELP;
            case "service" -> ServiceSuite.HELP;
            case "gateway" -> GatewaySuite.HELP;
            case "spring" -> FilterSuite.HELP;
            default -> Options.help();
          });
      return;
    }
    try {
      switch (suite) {
        case "core" -> core(Options.parse(words.subList(1, words.size())), out);
        case "rules" -> rules(RulesOptions.parse(words.subList(1, words.size())), out);
        case "seeing" -> seeing(RulesOptions.parse(words.subList(1, words.size())), out);
        case "path" -> path(RulesOptions.parse(words.subList(1, words.size())), out);
        case "replay" -> replay(ReplaySuite.parse(words.subList(1, words.size())), out);
        case "redis" -> races(RedisSuite.parse(words.subList(1, words.size())), out);
        case "scale" -> races(ScaleSuite.parse(words.subList(1, words.size())), out);
        case "service" -> races(ServiceSuite.parse(words.subList(1, words.size())), out);
        case "gateway" -> races(GatewaySuite.parse(words.subList(1, words.size())), out);
        case "spring" -> races(FilterSuite.parse(words.subList(1, words.size())), out);
        default ->
            throw new IllegalArgumentException(
                "the first word is the suite: core, rules, seeing, path, replay, redis, scale,"
                    + " service, gateway or spring");
      }
    } catch (IllegalArgumentException e) {
      String help =
          List.of(
                      "rules", "seeing", "path", "replay", "redis", "scale", "service", "gateway",
                      "spring")
                  .contains(suite)
              ? suite
              : "core";
      System.err.println("bench: " + e.getMessage() + "; see ./bench " + help + " --help");
      System.exit(2);
    }
  }

  private static void rules(RulesOptions options, PrintStream out)
      throws InterruptedException, IOException {
    long start = System.nanoTime();
    ChildJvm jvm = new ChildJvm(List.of());
    List<Section> sections =
        new ArrayList<>(new MatchingSuite(options.rounds(), options.millis()).run(jvm));
    sections.addAll(new ReloadSuite(Math.min(3, options.rounds()), 5 * options.millis()).run(jvm));
    String headline = headline("", jvm.machineLoad());
    print(sections, headline, start, out);
    if (options.report().isPresent()) {
      new ResultsFile(options.report().get()).write(sections, headline, order());
    }
  }

  private static void seeing(RulesOptions options, PrintStream out)
      throws InterruptedException, IOException {
    long start = System.nanoTime();
    ChildJvm jvm = new ChildJvm(List.of());
    List<Section> sections = new InsightSuite(options.rounds(), options.millis()).run(jvm);
    String headline = headline("", jvm.machineLoad());
    print(sections, headline, start, out);
    if (options.report().isPresent()) {
      new ResultsFile(options.report().get()).write(sections, headline, order());
    }
  }

  private static void path(RulesOptions options, PrintStream out)
      throws InterruptedException, IOException {
    long start = System.nanoTime();
    ChildJvm jvm = new ChildJvm(List.of());
    List<Section> sections = new PathSuite(options.rounds(), options.millis()).run(jvm);
    String headline = headline("", jvm.machineLoad());
    print(sections, headline, start, out);
    if (options.report().isPresent()) {
      new ResultsFile(options.report().get()).write(sections, headline, order());
    }
  }

  private static void replay(ReplaySuite suite, PrintStream out)
      throws InterruptedException, IOException {
    long start = System.nanoTime();
    ChildJvm jvm = new ChildJvm(List.of());
    List<Section> sections = List.of(suite.run(jvm));
    String headline = headline("", jvm.machineLoad());
    print(sections, headline, start, out);
    if (suite.report().isPresent()) {
      new ResultsFile(suite.report().get()).write(sections, headline, order());
    }
  }

  private static void races(RoundsSuite suite, PrintStream out)
      throws InterruptedException, IOException {
    long start = System.nanoTime();
    List<Section> sections = suite.run();
    String headline = headline(suite.remark(), suite.machineLoad());
    print(sections, headline, start, out);
    if (suite.report().isPresent()) {
      new ResultsFile(suite.report().get()).write(sections, headline, order());
    }
  }

  private static void core(Options options, PrintStream out)
      throws InterruptedException, IOException {
    long start = System.nanoTime();
    ChildJvm jvm =
        new ChildJvm(options.hugePages() ? List.of("-XX:+UseTransparentHugePages") : List.of());
    List<Section> sections = new ArrayList<>();
    Set<Suite> suites = EnumSet.noneOf(Suite.class);
    for (Suite suite : Suite.values()) {
      boolean chosen = options.cases().stream().anyMatch(c -> c.name().equals(suite.name()));
      if (chosen && !(options.quick() && suite == Suite.ALGORITHMS)) {
        suites.add(suite);
      }
    }
    if (!suites.isEmpty()) {
      sections.addAll(
          new SpeedSuite(
                  suites,
                  options.quick(),
                  options.only(),
                  options.loads(),
                  options.rounds(),
                  options.caseDuration(),
                  raw())
              .run(jvm));
    }
    if (options.cases().contains(Options.Case.ALLOCATION)) {
      sections.add(new AllocationSuite().run(jvm));
    }
    if (options.cases().contains(Options.Case.MEMORY)) {
      sections.add(new FootprintSuite(options.quick()).run(jvm));
    }
    if (options.cases().contains(Options.Case.PAUSE)) {
      sections.add(new PauseSuite().run(jvm));
    }

    String headline =
        headline(options.hugePages() ? ", transparent huge pages" : "", jvm.machineLoad());
    print(sections, headline, start, out);
    if (options.report().isPresent()) {
      new ResultsFile(options.report().get()).write(sections, headline, order());
    }
  }

  private static String headline(String more, MachineLoad machineLoad) {
    return LocalDate.now()
        + (", " + Machine.description())
        + more
        + (". " + machineLoad.sentence());
  }

  private static void print(List<Section> sections, String headline, long start, PrintStream out) {
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    out.println();
    for (Section section : sections) {
      out.println(section.markdown());
    }
    out.println(headline);
    out.println("Took " + took.toMinutes() + " min " + took.toSecondsPart() + " s.");
  }

  /** All sections of all suites: a run keeps the results of others. */
  private static List<String> order() {
    return Stream.of(
            Arrays.stream(Options.Case.values()).map(Options.Case::id),
            RulesOptions.CASES.stream(),
            Stream.of("replay"),
            RedisSuite.sections().stream(),
            ScaleSuite.sections().stream(),
            ServiceSuite.sections().stream(),
            GatewaySuite.sections().stream(),
            FilterSuite.sections().stream())
        .flatMap(cases -> cases)
        .toList();
  }

  /** The file for all single measurements of the last run, beside the jar. */
  private static Path raw() {
    Path jar = Path.of(System.getProperty("java.class.path").split(":")[0]).toAbsolutePath();
    return jar.resolveSibling("bench-raw-jdk" + Runtime.version().feature() + ".csv");
  }
}
