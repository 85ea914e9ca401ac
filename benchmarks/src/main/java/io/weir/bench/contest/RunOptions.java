package io.weir.bench.contest;

import io.weir.bench.fork.Quietness;
import io.weir.bench.line.Words;
import io.weir.bench.race.Schedule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** What every suite of servers can be told: how long, how often, and where the results go. */
public final class RunOptions {
  /** What {@code --help} says of them. */
  public static final String HELP =
      """
        --quick            2 short rounds; no results, but a first look
        --rounds N         6 unless set
        --seconds N        of each measurement (3)
        --warm-up N        seconds for each question to a JVM before (6)
        --jfr DIRECTORY    servers that are JVMs leave flight recordings there
        --report FILE      also writes the results into FILE, between its marks
      """;

  private static final int MILLIS = 1000;

  private boolean quick;
  private int rounds;
  private int seconds;
  private int warmUp;
  private Optional<Path> flights = Optional.empty();
  private Optional<Path> report = Optional.empty();

  /** Nothing is said yet. */
  public RunOptions() {}

  /** Takes an option with its value. Whether it is one of these. */
  public boolean take(String word, Words rest) {
    switch (word) {
      case "--quick" -> quick = true;
      case "--rounds" -> rounds = rest.positive();
      case "--seconds" -> seconds = rest.positive();
      case "--warm-up" -> warmUp = rest.positive();
      case "--jfr" -> flights = Optional.of(rest.path());
      case "--report" -> report = Optional.of(rest.path());
      default -> {
        return false;
      }
    }
    return true;
  }

  /** What was given, if it was. */
  public int or(int given, int ifQuick, int usual) {
    return given > 0 ? given : quick ? ifQuick : usual;
  }

  /** How long and how often to measure. */
  public Schedule schedule(Quietness quietness) {
    return new Schedule(
        or(rounds, 2, 6), MILLIS * or(seconds, 1, 3), MILLIS * or(warmUp, 3, 6), quietness);
  }

  /** Where JVMs leave flight recordings, if anywhere; makes the directory. */
  public Optional<Path> flights() throws IOException {
    if (flights.isPresent()) {
      Files.createDirectories(flights.get());
    }
    return flights;
  }

  /** Where to write the results too. */
  public Optional<Path> report() {
    return report;
  }
}
