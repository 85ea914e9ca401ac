package io.weir.chaos;

import io.weir.Consistency;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Runs many schedules one after the other, on one test cluster as long as it can be repaired. */
final class ChaosRun implements AutoCloseable {
  private static final Duration WARM_UP = Duration.ofSeconds(1);

  private final List<Consistency> consistencies;
  private final Consumer<String> out;
  private final ChaosReport chaosReport = new ChaosReport();
  private TestCluster testCluster;

  /** Tests {@code consistencies} side by side, and reports progress to {@code out}. */
  ChaosRun(List<Consistency> consistencies, Consumer<String> out) throws InterruptedException {
    this.consistencies = consistencies;
    this.out = out;
    this.testCluster = build();
    boolean clocks = FakeClock.library().isPresent();
    out.accept(
        testCluster.clusterNetwork()
            + (clocks ? ", libfaketime" : ", no libfaketime: no clock of Redis steps"));
  }

  /** A failed build is retried once; it says nothing about Weir. */
  private TestCluster build() throws InterruptedException {
    try {
      return warmedUp(TestCluster.open());
    } catch (AssertionError | RuntimeException e) {
      out.accept("another stage, since " + new TestClusterFailure(e).getMessage());
      chaosReport.addRebuilt();
      return warmedUp(TestCluster.open());
    }
  }

  /** Runs a warm-up, so that the slow start of a new process does not count as a fault. */
  private TestCluster warmedUp(TestCluster opened) throws InterruptedException {
    try {
      chaosReport.addBroken(new ScheduleRun(opened, Schedule.calm(consistencies, WARM_UP)).run());
      return opened;
    } catch (AssertionError | RuntimeException | InterruptedException e) {
      opened.close();
      throw e;
    }
  }

  /** Runs the schedule of {@code seed}. */
  ScheduleResult run(long seed) throws InterruptedException {
    boolean clocks = FakeClock.library().isPresent();
    return run(Schedule.of(seed, consistencies, testCluster.clusterNetwork().canBeCut(), clocks));
  }

  /** Runs an attack with the schedule of {@code seed}, if the cluster supports it. */
  Optional<ScheduleResult> run(TargetedScenario targetedScenario, long seed)
      throws InterruptedException {
    if (!targetedScenario.isPossible(
        testCluster.clusterNetwork().canBeCut(), FakeClock.library().isPresent())) {
      out.accept(targetedScenario + " seed " + seed + ": left out, since it needs libfaketime");
      return Optional.empty();
    }
    boolean clocks = FakeClock.library().isPresent();
    Schedule whole = targetedScenario.schedule(seed);
    Schedule possible =
        whole.where(it -> it.isPossible(testCluster.clusterNetwork().canBeCut(), clocks));
    if (!possible.equals(whole)) {
      out.accept(whole + ": in part, since it needs libfaketime");
    }
    return Optional.of(run(possible));
  }

  private ScheduleResult run(Schedule schedule) throws InterruptedException {
    long start = System.nanoTime();
    ScheduleResult scheduleResult = tryOn(schedule);
    chaosReport.add(scheduleResult);
    out.accept(
        schedule
            + ": "
            + (scheduleResult.isGood() ? "good" : "BROKEN")
            + ", "
            + (System.nanoTime() - start) / 100_000_000 / 10.0
            + " s");
    if (scheduleResult.unserved().isPresent()) {
      buildAnew();
    }
    return scheduleResult;
  }

  /**
   * A failure of the cluster itself is no finding the first time: the schedule is repeated on a new
   * one.
   */
  private ScheduleResult tryOn(Schedule schedule) throws InterruptedException {
    try {
      return new ScheduleRun(testCluster, schedule).run();
    } catch (TestClusterFailure e) {
      out.accept(schedule + ": again on another stage, since " + e.getMessage());
      chaosReport.addRebuilt();
      buildAnew();
      return new ScheduleRun(testCluster, schedule).run();
    }
  }

  private void buildAnew() throws InterruptedException {
    testCluster.close();
    testCluster = build();
  }

  ChaosReport chaosReport() {
    return chaosReport;
  }

  @Override
  public void close() {
    testCluster.close();
  }
}
