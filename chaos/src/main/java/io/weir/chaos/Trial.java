package io.weir.chaos;

import io.weir.Origin;
import io.weir.chaos.Outcome.Availability;
import io.weir.chaos.Outcome.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs one schedule on a cluster, and audits the result. */
final class Trial {
  private static final Duration QUICK = Duration.ofMillis(500);
  private static final Duration PATIENT = Duration.ofMinutes(10);

  private final Stage stage;
  private final Schedule schedule;
  private final List<Mark> marks = new ArrayList<>();
  private int livesBefore;

  /** The fault in effect from a time on. */
  private record Mark(long time, Fault fault) {}

  Trial(Stage stage, Schedule schedule) {
    this.stage = stage;
    this.schedule = schedule;
  }

  /**
   * Whatever happens to the cluster, all answers are audited, and all nodes must serve again.
   *
   * @throws StageFailure if the cluster did not follow the schedule, and there is no finding
   */
  Outcome run() throws InterruptedException {
    String before = prepare();
    livesBefore = stage.lives();
    long origin = System.nanoTime();
    marks.add(new Mark(origin, Fault.CALM));
    List<Answer> log;
    List<String> errors;
    Optional<Throwable> trouble;
    try (Load load = new Load(stage, schedule)) {
      trouble = play();
      log = load.end();
      errors = load.errors();
    }
    Outcome outcome = audit(log, errors, origin, schedule.keepsData() && isStill(before));
    return outcome.isGood() ? outcome.withUnserved(recover()).unlessSpoilt(trouble) : outcome;
  }

  /** Prepares the cluster, and returns the id of its data set. */
  private String prepare() {
    try {
      stage.forget();
      stage.heal();
      stage.awaitService(schedule.contracts());
      schedule.contracts().forEach(stage::open);
      stage.redis().sentinelsWait(schedule.isHasty() ? QUICK : PATIENT);
      return stage.redis().dataSet();
    } catch (AssertionError | RuntimeException e) {
      throw new StageFailure(e);
    }
  }

  /** Runs the schedule, and returns what failed. */
  private Optional<Throwable> play() throws InterruptedException {
    try {
      for (Step step : schedule.steps()) {
        Thread.sleep(step.after().toMillis());
        mark(step.fault());
        step.fault().happen(stage, step);
      }
      Thread.sleep(schedule.tail().toMillis());
      return Optional.empty();
    } catch (AssertionError | RuntimeException e) {
      return Optional.of(e);
    }
  }

  private boolean isStill(String dataSet) {
    try {
      return stage.redis().dataSet().equals(dataSet);
    } catch (RuntimeException unknown) {
      return false;
    }
  }

  /** Repairs everything, and returns the node that does not serve afterwards. */
  private Optional<String> recover() {
    try {
      stage.heal();
      stage.redis().sentinelsWait(PATIENT);
    } catch (AssertionError | RuntimeException e) {
      throw new StageFailure(e);
    }
    return stage.whoDoesNotServe(schedule.contracts());
  }

  private Outcome audit(List<Answer> log, List<String> errors, long origin, boolean kept) {
    List<Finding> findings =
        schedule.contracts().stream()
            .map(contract -> find(new Promise(contract, kept, lives()), log))
            .toList();
    return new Outcome(
        schedule, origin, kept, findings, Auditor.disorderly(log), errors, Optional.empty());
  }

  /** Attributes what follows to this fault, up to the next one. */
  private void mark(Fault fault) {
    if (fault != Fault.CALM) {
      marks.add(new Mark(System.nanoTime(), fault));
    }
  }

  /** The initial ones, plus those that have begun anew since. */
  private int lives() {
    return stage.nodes().size() + stage.lives() - livesBefore;
  }

  private Finding find(Promise promise, List<Answer> all) {
    Contract contract = promise.contract();
    List<Answer> log =
        all.stream().filter(answer -> answer.limiter().equals(contract.name())).toList();
    long yeses = log.stream().filter(Answer::isYes).count();
    long leased = log.stream().filter(it -> it.isYes() && it.origin() == Origin.LEASE).count();
    return new Finding(
        contract, yeses, leased, promise.over(log), promise.brokenBy(log), shares(contract, log));
  }

  private List<Availability> shares(Contract contract, List<Answer> log) {
    Refusals refusals = new Refusals(contract.smallestBound(), log);
    Map<Fault, long[]> counts = new EnumMap<>(Fault.class);
    for (Answer answer : log.stream().filter(Load::isModest).toList()) {
      boolean refused = refusals.isWrong(answer);
      if (answer.isYes() || refused) {
        long[] count = counts.computeIfAbsent(at(answer.sent()), fault -> new long[2]);
        count[0]++;
        count[1] += refused ? 1 : 0;
      }
    }
    return counts.entrySet().stream()
        .map(it -> new Availability(it.getKey(), it.getValue()[0], it.getValue()[1]))
        .toList();
  }

  private Fault at(long time) {
    Fault fault = Fault.CALM;
    for (Mark mark : marks) {
      fault = mark.time() <= time ? mark.fault() : fault;
    }
    return fault;
  }
}
