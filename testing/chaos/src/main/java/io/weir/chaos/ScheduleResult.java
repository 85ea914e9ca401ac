package io.weir.chaos;

import io.weir.chaos.audit.Contract;
import io.weir.chaos.audit.RecordedCheck;
import io.weir.chaos.audit.Violation;
import java.util.List;
import java.util.Optional;

/**
 * The result of one schedule.
 *
 * @param origin when it began, by the machine's monotonic clock
 * @param keptData whether Redis kept its data, as planned or not
 * @param contractResults one for each contract
 * @param disorderly checks with a decision that is not between sending and receiving
 * @param errors errors that nodes returned in place of a decision
 * @param unserved nodes that did not serve again, long after everything was repaired
 */
record ScheduleResult(
    Schedule schedule,
    long origin,
    boolean keptData,
    List<ContractResult> contractResults,
    List<RecordedCheck> disorderly,
    List<String> errors,
    Optional<String> unserved) {

  /**
   * The result for one contract.
   *
   * @param grants how many grants there were
   * @param leased how many of these came from a lease
   * @param violations the worst of each user above the limit
   * @param broken those that break a promise
   * @param shares wrong refusals by fault
   */
  record ContractResult(
      Contract contract,
      long grants,
      long leased,
      List<Violation> violations,
      List<Violation> broken,
      List<Availability> shares) {}

  /**
   * From the start of a fault until the next one.
   *
   * @param due how many requests should have been allowed
   * @param refused how many of these were not
   */
  record Availability(InjectedFault injectedFault, long due, long refused) {}

  /** Whether all promises were kept. */
  boolean isGood() {
    return disorderly.isEmpty() && errors.isEmpty() && broken().isEmpty() && unserved.isEmpty();
  }

  /**
   * Returns this if it is bad, or if the run went as planned.
   *
   * @param trouble what the cluster failed to do
   * @throws TestClusterFailure if there is no finding, but the run differs from the plan
   */
  ScheduleResult unlessSpoilt(Optional<Throwable> trouble) {
    if (isGood() && trouble.isPresent()) {
      throw new TestClusterFailure(trouble.get());
    }
    if (isGood() && schedule.keepsData() && !keptData) {
      throw new TestClusterFailure("Redis lost its data, although the schedule keeps it");
    }
    return this;
  }

  ScheduleResult withUnserved(Optional<String> node) {
    return new ScheduleResult(
        schedule, origin, keptData, contractResults, disorderly, errors, node);
  }

  /** The findings that break a promise. */
  List<ContractResult> broken() {
    return contractResults.stream()
        .filter(contractResult -> !contractResult.broken().isEmpty())
        .toList();
  }
}
