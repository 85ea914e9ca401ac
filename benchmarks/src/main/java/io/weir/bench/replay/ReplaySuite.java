package io.weir.bench.replay;

import io.weir.bench.fork.ChildJvm;
import io.weir.bench.fork.ChildLine;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Section;
import io.weir.bench.report.Spread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Ten million lines of a million users, read and replayed in turns. */
public final class ReplaySuite {
  /** The text of {@code --help}. */
  public static final String HELP =
      """
      Usage: ./bench [--jdk N] replay [OPTION...]

      Replays recorded traffic of many users against one rule, in turns with only reading it, and
      prints the lines per second of both. A few minutes without options.

        --lines N        10000000 unless set
        --keys N         distinct users; 1000000 unless set
        --rounds N       5 unless set
        --format NAME    only csv or combined
        --report FILE    also writes the results into FILE, between its marks
      """;

  private long lines = 10_000_000;
  private int keys = 1_000_000;
  private int rounds = 5;
  private Optional<Path> report = Optional.empty();
  private List<Recording> recordings = List.of(Recording.values());

  private ReplaySuite(Iterator<String> words) {
    while (words.hasNext()) {
      String option = words.next();
      String value = words.hasNext() ? words.next() : "";
      switch (option) {
        case "--lines" -> lines = Long.parseLong(value);
        case "--keys" -> keys = Integer.parseInt(value);
        case "--rounds" -> rounds = Integer.parseInt(value);
        case "--report" -> report = Optional.of(Path.of(value));
        case "--format" -> recordings = List.of(Recording.valueOf(value.toUpperCase(Locale.ROOT)));
        default -> throw new IllegalArgumentException("unknown option '" + option + "'");
      }
    }
  }

  /** A suite with these command line arguments. */
  public static ReplaySuite parse(List<String> words) {
    return new ReplaySuite(words.iterator());
  }

  /** The file to write the results to as well. */
  public Optional<Path> report() {
    return report;
  }

  /** Measures, and returns the results. */
  public Section run(ChildJvm jvm) throws InterruptedException, IOException {
    MarkdownTable table =
        new MarkdownTable(
            String.format(Locale.ROOT, "%,d lines, %,d keys, one rule", lines, keys),
            "million lines/s",
            "million lines per second of processor");
    List<Bar> bars = new ArrayList<>();
    for (Recording recording : recordings) {
      String name = recording.name().toLowerCase(Locale.ROOT);
      System.err.println("replay  " + name);
      Path file = Files.createTempFile("bench", "." + name);
      try {
        recording.write(file, lines, keys);
        List<String> args = List.of(file.toString(), "" + lines, "" + rounds);
        List<ChildLine> childLines = jvm.run(ReplayChild.class, List.of("-Xmx4g"), args);
        table.row(name + ", read", text(childLines, "parse", 0), text(childLines, "parse", 1));
        table.row(
            name + ", replayed", text(childLines, "replay", 0), text(childLines, "replay", 1));
        bars.add(
            Bar.of(
                name + ": replayed / read",
                Bar.Direction.AT_LEAST,
                0.5,
                0.5,
                Spread.of(ratios(childLines))));
      } catch (ChildJvm.Failed e) {
        System.err.println("FAILED: " + e.getMessage());
      } finally {
        Files.delete(file);
      }
    }
    return new Section("replay", "Replay of recorded traffic", table.toString(), bars);
  }

  private static String text(List<ChildLine> childLines, String subject, int column) {
    return Spread.of(numbers(childLines, subject, column)).text();
  }

  private static double[] numbers(List<ChildLine> childLines, String subject, int column) {
    return childLines.stream()
        .filter(childLine -> childLine.subject().equals(subject))
        .mapToDouble(childLine -> childLine.number(column) / 1e6)
        .toArray();
  }

  private static double[] ratios(List<ChildLine> childLines) {
    double[] read = numbers(childLines, "parse", 0);
    double[] replayed = numbers(childLines, "replay", 0);
    for (int i = 0; i < replayed.length; i++) {
      replayed[i] /= read[i];
    }
    return replayed;
  }
}
