package io.weir.chaos;

import io.weir.Origin;
import io.weir.chaos.ScheduleResult.Availability;
import io.weir.chaos.ScheduleResult.ContractResult;
import io.weir.chaos.audit.Auditor;
import io.weir.chaos.audit.Contract;
import io.weir.chaos.audit.Guarantee;
import io.weir.chaos.audit.RecordedCheck;
import io.weir.chaos.audit.WrongRefusals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs one schedule on a cluster, and audits the result. */
final class ScheduleRun {
  private static final Duration QUICK = Duration.ofMillis(500);
  private static final Duration PATIENT = Duration.ofMinutes(10);

  private final TestCluster testCluster;
  private final Schedule schedule;
  private final List<FaultStart> faultStarts = new ArrayList<>();
  private int livesBefore;

  /** The fault in effect from a time on. */
  private record FaultStart(long time, InjectedFault injectedFault) {}

  ScheduleRun(TestCluster testCluster, Schedule schedule) {
    this.testCluster = testCluster;
    this.schedule = schedule;
  }

  /**
   * Whatever happens to the cluster, all decisions are audited, and all nodes must serve again.
   *
   * @throws TestClusterFailure if the cluster did not follow the schedule, and there is no finding
   */
  ScheduleResult run() throws InterruptedException {
    String before = prepare();
    livesBefore = testCluster.lives();
    long origin = System.nanoTime();
    faultStarts.add(new FaultStart(origin, InjectedFault.CALM));
    List<RecordedCheck> log;
    List<String> errors;
    Optional<Throwable> trouble;
    try (LoadClients loadClients = new LoadClients(testCluster, schedule)) {
      trouble = play();
      log = loadClients.end();
      errors = loadClients.errors();
    }
    ScheduleResult scheduleResult =
        audit(log, errors, origin, schedule.keepsData() && isStill(before));
    return scheduleResult.isGood()
        ? scheduleResult.withUnserved(recover()).unlessSpoilt(trouble)
        : scheduleResult;
  }

  /** Prepares the cluster, and returns the id of its data set. */
  private String prepare() {
    try {
      testCluster.forget();
      testCluster.heal();
      testCluster.awaitService(schedule.contracts());
      schedule.contracts().forEach(testCluster::open);
      testCluster.redis().sentinelsWait(schedule.isHasty() ? QUICK : PATIENT);
      return testCluster.redis().dataSet();
    } catch (AssertionError | RuntimeException e) {
      throw new TestClusterFailure(e);
    }
  }

  /** Runs the schedule, and returns what failed. */
  private Optional<Throwable> play() throws InterruptedException {
    try {
      for (ScheduledFault scheduledFault : schedule.scheduledFaults()) {
        Thread.sleep(scheduledFault.after().toMillis());
        mark(scheduledFault.injectedFault());
        scheduledFault.injectedFault().happen(testCluster, scheduledFault);
      }
      Thread.sleep(schedule.tail().toMillis());
      return Optional.empty();
    } catch (AssertionError | RuntimeException e) {
      return Optional.of(e);
    }
  }

  private boolean isStill(String dataSet) {
    try {
      return testCluster.redis().dataSet().equals(dataSet);
    } catch (RuntimeException unknown) {
      return false;
    }
  }

  /** Repairs everything, and returns the node that does not serve afterwards. */
  private Optional<String> recover() {
    try {
      testCluster.heal();
      testCluster.redis().sentinelsWait(PATIENT);
    } catch (AssertionError | RuntimeException e) {
      throw new TestClusterFailure(e);
    }
    return testCluster.nodeNotServing(schedule.contracts());
  }

  private ScheduleResult audit(
      List<RecordedCheck> log, List<String> errors, long origin, boolean kept) {
    int stepsBack =
        (int)
            schedule.scheduledFaults().stream()
                .filter(it -> it.injectedFault() == InjectedFault.REDIS_CLOCK_PUT_BACK)
                .count();
    List<ContractResult> contractResults =
        schedule.contracts().stream()
            .map(contract -> find(new Guarantee(contract, kept, lives(), stepsBack), log))
            .toList();
    return new ScheduleResult(
        schedule, origin, kept, contractResults, Auditor.disorderly(log), errors, Optional.empty());
  }

  /** Attributes what follows to this fault, up to the next one. */
  private void mark(InjectedFault injectedFault) {
    if (injectedFault != InjectedFault.CALM) {
      faultStarts.add(new FaultStart(System.nanoTime(), injectedFault));
    }
  }

  /** The initial ones, plus those that have begun anew since. */
  private int lives() {
    return testCluster.nodes().size() + testCluster.lives() - livesBefore;
  }

  private ContractResult find(Guarantee guarantee, List<RecordedCheck> all) {
    Contract contract = guarantee.contract();
    List<RecordedCheck> log =
        all.stream()
            .filter(recordedCheck -> recordedCheck.limiter().equals(contract.name()))
            .toList();
    long grants = log.stream().filter(RecordedCheck::isAllowed).count();
    long leased = log.stream().filter(it -> it.isAllowed() && it.origin() == Origin.LEASE).count();
    return new ContractResult(
        contract,
        grants,
        leased,
        guarantee.over(log),
        guarantee.brokenBy(log),
        shares(contract, log));
  }

  private List<Availability> shares(Contract contract, List<RecordedCheck> log) {
    WrongRefusals wrongRefusals = new WrongRefusals(contract.smallestBound(), log);
    Map<InjectedFault, long[]> counts = new EnumMap<>(InjectedFault.class);
    for (RecordedCheck recordedCheck : log.stream().filter(LoadClients::isModest).toList()) {
      boolean refused = wrongRefusals.isWrong(recordedCheck);
      if (recordedCheck.isAllowed() || refused) {
        long[] count =
            counts.computeIfAbsent(at(recordedCheck.sent()), injectedFault -> new long[2]);
        count[0]++;
        count[1] += refused ? 1 : 0;
      }
    }
    return counts.entrySet().stream()
        .map(it -> new Availability(it.getKey(), it.getValue()[0], it.getValue()[1]))
        .toList();
  }

  private InjectedFault at(long time) {
    InjectedFault injectedFault = InjectedFault.CALM;
    for (FaultStart faultStart : faultStarts) {
      injectedFault = faultStart.time() <= time ? faultStart.injectedFault() : injectedFault;
    }
    return injectedFault;
  }
}
