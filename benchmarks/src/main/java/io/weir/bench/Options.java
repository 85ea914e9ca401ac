package io.weir.bench;

import io.weir.bench.contender.Contender;
import io.weir.bench.line.Choice;
import io.weir.bench.line.Words;
import io.weir.bench.speed.Load;
import io.weir.bench.speed.Pace;
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
    Pace pace,
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
    Pace pace = Pace.FULL;
    Set<Contender> only = EnumSet.noneOf(Contender.class);
    Set<Load> loads = EnumSet.noneOf(Load.class);
    boolean hugePages = false;
    Optional<Path> report = Optional.empty();
    for (Words words = new Words(args); words.hasNext(); ) {
      String word = words.next();
      switch (word) {
        case "--quick" -> quick = true;
        case "--huge-pages" -> hugePages = true;
        case "--case" -> cases.add(Choice.of(Case.values(), "case", words.value()));
        case "--rounds" -> rounds = words.positive();
        case "--ms" -> {
          int millis = words.positive();
          pace = new Pace(millis, millis, Pace.FULL.iterations());
        }
        case "--only" -> {
          for (String id : words.values()) {
            only.add(Contender.of(id));
          }
        }
        case "--load" -> loads.add(Load.of(words.value()));
        case "--report" -> report = Optional.of(words.path());
        default -> throw new IllegalArgumentException("unknown option '" + word + "'");
      }
    }
    return new Options(
        cases.isEmpty() ? EnumSet.allOf(Case.class) : cases,
        quick,
        rounds > 0 ? rounds : quick ? 3 : 10,
        pace,
        only,
        loads,
        hugePages,
        report);
  }
}
