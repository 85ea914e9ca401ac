package io.weir.chaos;

import io.weir.Origin;
import io.weir.chaos.Outcome.Availability;
import io.weir.chaos.Outcome.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Runs one schedule on a stage, and has it audited. */
final class Trial {
  private static final Duration QUICK = Duration.ofMillis(500);
  private static final Duration PATIENT = Duration.ofMinutes(10);

  private final Stage stage;
  private final Schedule schedule;
  private final List<Mark> marks = new ArrayList<>();

  /** From when on what holds. */
  private record Mark(long time, Fault fault) {}

  Trial(Stage stage, Schedule schedule) {
    this.stage = stage;
    this.schedule = schedule;
  }

  Outcome run() throws InterruptedException {
    prepare();
    String before = stage.redis().dataSet();
    long origin = System.nanoTime();
    marks.add(new Mark(origin, Fault.CALM));
    List<Answer> log;
    try (Load load = new Load(stage, schedule)) {
      for (Step step : schedule.steps()) {
        Thread.sleep(step.after().toMillis());
        mark(step.fault());
        step.fault().happen(stage, step);
      }
      Thread.sleep(schedule.tail().toMillis());
      log = load.end();
    }
    boolean kept = schedule.keepsData() && stage.redis().dataSet().equals(before);
    List<Finding> findings =
        schedule.contracts().stream()
            .map(contract -> find(new Promise(contract, kept, processes()), log))
            .toList();
    return new Outcome(schedule, origin, kept, findings, Auditor.disorderly(log));
  }

  private void prepare() {
    stage.forget();
    stage.heal();
    stage.awaitService(schedule.contracts());
    schedule.contracts().forEach(stage::open);
    stage.redis().sentinelsWait(schedule.keepsData() ? PATIENT : QUICK);
  }

  /** What comes after a fault comes of it, also if nothing else goes wrong. */
  private void mark(Fault fault) {
    if (fault != Fault.CALM) {
      marks.add(new Mark(System.nanoTime(), fault));
    }
  }

  private int processes() {
    long startedAgain = schedule.steps().stream().filter(it -> it.fault().endsANode()).count();
    return stage.nodes().size() + (int) startedAgain;
  }

  private Finding find(Promise promise, List<Answer> all) {
    Contract contract = promise.contract();
    List<Answer> log =
        all.stream().filter(answer -> answer.limiter().equals(contract.name())).toList();
    long yeses = log.stream().filter(Answer::isYes).count();
    long leased = log.stream().filter(it -> it.isYes() && it.origin() == Origin.LEASE).count();
    List<Violation> violations = new Auditor(contract.bound()).violations(log);
    return new Finding(
        contract, yeses, leased, violations, promise.brokenBy(log), shares(contract, log));
  }

  private List<Availability> shares(Contract contract, List<Answer> log) {
    Refusals refusals = new Refusals(contract.bound(), log);
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
