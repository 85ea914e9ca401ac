package io.weir.chaos;

import io.weir.Consistency;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Runs many schedules one after the other, on one test cluster as long as it can be repaired. */
final class Chaos implements AutoCloseable {
  private static final Duration WARM_UP = Duration.ofSeconds(1);

  private final List<Consistency> consistencies;
  private final Consumer<String> out;
  private final Report report = new Report();
  private Stage stage;

  /** Tests {@code consistencies} side by side, and reports progress to {@code out}. */
  Chaos(List<Consistency> consistencies, Consumer<String> out) throws InterruptedException {
    this.consistencies = consistencies;
    this.out = out;
    this.stage = build();
    boolean clocks = FakeClock.library().isPresent();
    out.accept(
        stage.network() + (clocks ? ", libfaketime" : ", no libfaketime: no clock of Redis steps"));
  }

  /** A failed build is retried once; it says nothing about Weir. */
  private Stage build() throws InterruptedException {
    try {
      return warmedUp(Stage.open());
    } catch (AssertionError | RuntimeException e) {
      out.accept("another stage, since " + new StageFailure(e).getMessage());
      report.addRebuilt();
      return warmedUp(Stage.open());
    }
  }

  /** Runs a warm-up, so that the slow start of a new process does not count as a fault. */
  private Stage warmedUp(Stage opened) throws InterruptedException {
    try {
      report.addBroken(new Trial(opened, Schedule.calm(consistencies, WARM_UP)).run());
      return opened;
    } catch (AssertionError | RuntimeException | InterruptedException e) {
      opened.close();
      throw e;
    }
  }

  /** Runs the schedule of {@code seed}. */
  Outcome run(long seed) throws InterruptedException {
    boolean clocks = FakeClock.library().isPresent();
    return run(Schedule.of(seed, consistencies, stage.network().canBeCut(), clocks));
  }

  /** Runs an attack with the schedule of {@code seed}, if the cluster supports it. */
  Optional<Outcome> run(Aim aim, long seed) throws InterruptedException {
    if (!aim.isPossible(stage.network().canBeCut(), FakeClock.library().isPresent())) {
      out.accept(aim + " seed " + seed + ": left out, since it needs libfaketime");
      return Optional.empty();
    }
    boolean clocks = FakeClock.library().isPresent();
    Schedule whole = aim.schedule(seed);
    Schedule possible = whole.where(it -> it.isPossible(stage.network().canBeCut(), clocks));
    if (!possible.equals(whole)) {
      out.accept(whole + ": in part, since it needs libfaketime");
    }
    return Optional.of(run(possible));
  }

  private Outcome run(Schedule schedule) throws InterruptedException {
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
    if (outcome.unserved().isPresent()) {
      buildAnew();
    }
    return outcome;
  }

  /**
   * A failure of the cluster itself is no finding the first time: the schedule is repeated on a new
   * one.
   */
  private Outcome tryOn(Schedule schedule) throws InterruptedException {
    try {
      return new Trial(stage, schedule).run();
    } catch (StageFailure e) {
      out.accept(schedule + ": again on another stage, since " + e.getMessage());
      report.addRebuilt();
      buildAnew();
      return new Trial(stage, schedule).run();
    }
  }

  private void buildAnew() throws InterruptedException {
    stage.close();
    stage = build();
  }

  Report report() {
    return report;
  }

  @Override
  public void close() {
    stage.close();
  }
}
