package io.weir.chaos;

import io.weir.Consistency;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Many schedules, one after the other, on one stage as long as it can be healed. */
final class Chaos implements AutoCloseable {
  private static final Duration WARM_UP = Duration.ofSeconds(1);

  private final List<Consistency> consistencies;
  private final Consumer<String> out;
  private final Report report = new Report();
  private Stage stage;

  /** Tries {@code consistencies} side by side, and tells {@code out} what happens. */
  Chaos(List<Consistency> consistencies, Consumer<String> out) throws InterruptedException {
    this.consistencies = consistencies;
    this.out = out;
    this.stage = Stage.open();
    warmUp();
    boolean clocks = FakeClock.library().isPresent();
    out.accept(
        stage.network() + (clocks ? ", libfaketime" : ", no libfaketime: no clock of Redis steps"));
  }

  /** What a new process does slowly at first is no fault. */
  private void warmUp() throws InterruptedException {
    new Trial(stage, Schedule.calm(consistencies, WARM_UP)).run();
  }

  /** Runs the schedule of {@code seed}. */
  Outcome run(long seed) throws InterruptedException {
    boolean clocks = FakeClock.library().isPresent();
    Schedule schedule = Schedule.of(seed, consistencies, stage.network().canBeCut(), clocks);
    long start = System.nanoTime();
    Outcome outcome = tryOn(schedule);
    report.add(outcome);
    out.accept(
        schedule
            + ": "
            + (outcome.isGood() ? "good" : "BROKEN")
            + ", "
            + (System.nanoTime() - start) / 100_000_000 / 10.0
            + " s");
    return outcome;
  }

  /** A stage that cannot be healed is no finding: another is built. */
  private Outcome tryOn(Schedule schedule) throws InterruptedException {
    try {
      return new Trial(stage, schedule).run();
    } catch (AssertionError | RuntimeException e) {
      out.accept(schedule + ": again on another stage, since " + firstLine(e));
      stage.close();
      stage = Stage.open();
      warmUp();
      return new Trial(stage, schedule).run();
    }
  }

  private static String firstLine(Throwable e) {
    return String.valueOf(e).lines().findFirst().orElse("");
  }

  Report report() {
    return report;
  }

  @Override
  public void close() {
    stage.close();
  }
}
