package io.weir.bench;

import io.weir.bench.cli.ArgumentReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The options of the suite {@code rules}. */
record RulesOptions(int rounds, int millis, Optional<Path> report) {
  /** The sections of the report, in order. */
  static final List<String> CASES = List.of("matching", "compiling", "reload", "seeing", "path");

  static final String HELP =
      """
      Usage: ./bench [--jdk N] rules [OPTION...]

      Measures how long it takes to find the rules that apply to a request, with few rules and with
      many of which the same few apply. Also measures how long it takes to compile rules, and to
      reload them during checks. The machine should be idle otherwise. Fresh JVMs in rounds of
      random order; the result is the median of the ratios within a round. About five minutes
      without options.

        --quick          3 short rounds; a first look, not results
        --rounds N       10 unless set
        --ms N           milliseconds for each warm-up and measurement (1000)
        --report FILE    also writes the results into FILE, between its marks
      """;

  /** The help of the suite {@code seeing}, which has the same options. */
  static final String SEEING =
      """
      Usage: ./bench [--jdk N] seeing [OPTION...]

      Measures what counting and insight into callers add to a decision in memory. The machine should
      be idle otherwise. Fresh JVMs in rounds of random order; the result is the median of the
      differences within a round.

        --quick          3 short rounds; a first look, not results
        --rounds N       10 unless set
        --ms N           milliseconds for each warm-up and measurement (1000)
        --report FILE    also writes the results into FILE, between its marks
      """;

  /** The help of the suite {@code path}, which has the same options. */
  static final String PATH =
      """
      Usage: ./bench [--jdk N] path [OPTION...]

      Measures a decision by rules in memory, from the request to the headers of its response,
      beside a bare check of the limiter. The machine should be idle otherwise. Fresh JVMs in rounds
      of random order; the result is the median of the ratios within a round.

        --quick          3 short rounds; a first look, not results
        --rounds N       10 unless set
        --ms N           milliseconds for each warm-up and measurement (1000)
        --report FILE    also writes the results into FILE, between its marks
      """;

  static RulesOptions parse(List<String> args) {
    boolean quick = false;
    int rounds = 0;
    int millis = 0;
    Optional<Path> report = Optional.empty();
    for (ArgumentReader argumentReader = new ArgumentReader(args); argumentReader.hasNext(); ) {
      String word = argumentReader.next();
      switch (word) {
        case "--quick" -> quick = true;
        case "--rounds" -> rounds = argumentReader.positive();
        case "--ms" -> millis = argumentReader.positive();
        case "--report" -> report = Optional.of(argumentReader.path());
        default -> throw new IllegalArgumentException("unknown option '" + word + "'");
      }
    }
    return new RulesOptions(
        rounds > 0 ? rounds : quick ? 3 : 10, millis > 0 ? millis : quick ? 300 : 1000, report);
  }
}
