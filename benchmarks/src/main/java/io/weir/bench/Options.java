package io.weir.bench;

import io.weir.bench.cli.ArgumentReader;
import io.weir.bench.cli.Choice;
import io.weir.bench.contender.Contender;
import io.weir.bench.speed.CaseDuration;
import io.weir.bench.speed.Load;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The options of the command line. */
record Options(
    Set<Case> cases,
    boolean quick,
    int rounds,
    CaseDuration caseDuration,
    Set<Contender> only,
    Set<Load> loads,
    boolean hugePages,
    Optional<Path> report) {

  /** The values of {@code --case}, in the order of the report. */
  enum Case implements Choice {
    HOT,
    KEYS,
    ALGORITHMS,
    ALLOCATION,
    MEMORY,
    PAUSE
  }

  static final String HELP =
      """
      Usage: ./bench [--jdk N] core [OPTION...]

      Compares Weir with its peers and with lower bounds. The machine should be idle otherwise. Each
      contender runs in its own JVMs, in rounds of random order; the result is the median of the
      ratios within a round. About an hour without options.

        --quick          3 rounds of the main cases, in a few minutes; a first look, not results
        --case NAME      only hot, keys, algorithms, allocation, memory or pause; may be repeated
        --rounds N       10 unless set
        --only A,B       only these contenders of hot, keys and algorithms
        --load NAME      only hot, 10k, 100k, 1m or 10m; may be repeated
        --ms N           milliseconds for each warm-up and measurement (300)
        --huge-pages     all JVMs with transparent huge pages
        --report FILE    also writes the results into FILE, between its marks

      Contenders: %s
      """;

  static String help() {
    return HELP.formatted(
        Arrays.stream(Contender.values()).map(Contender::id).collect(Collectors.joining(" ")));
  }

  static Options parse(List<String> args) {
    Set<Case> cases = EnumSet.noneOf(Case.class);
    boolean quick = false;
    int rounds = 0;
    CaseDuration caseDuration = CaseDuration.FULL;
    Set<Contender> only = EnumSet.noneOf(Contender.class);
    Set<Load> loads = EnumSet.noneOf(Load.class);
    boolean hugePages = false;
    Optional<Path> report = Optional.empty();
    for (ArgumentReader argumentReader = new ArgumentReader(args); argumentReader.hasNext(); ) {
      String word = argumentReader.next();
      switch (word) {
        case "--quick" -> quick = true;
        case "--huge-pages" -> hugePages = true;
        case "--case" -> cases.add(Choice.of(Case.values(), "case", argumentReader.value()));
        case "--rounds" -> rounds = argumentReader.positive();
        case "--ms" -> {
          int millis = argumentReader.positive();
          caseDuration = new CaseDuration(millis, millis, CaseDuration.FULL.iterations());
        }
        case "--only" -> {
          for (String id : argumentReader.values()) {
            only.add(Contender.of(id));
          }
        }
        case "--load" -> loads.add(Load.of(argumentReader.value()));
        case "--report" -> report = Optional.of(argumentReader.path());
        default -> throw new IllegalArgumentException("unknown option '" + word + "'");
      }
    }
    return new Options(
        cases.isEmpty() ? EnumSet.allOf(Case.class) : cases,
        quick,
        rounds > 0 ? rounds : quick ? 3 : 10,
        caseDuration,
        only,
        loads,
        hugePages,
        report);
  }
}
