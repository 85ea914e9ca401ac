package io.weir.chaos;

import java.util.List;
import java.util.Optional;

/**
 * What came of one schedule.
 *
 * @param origin when it began, by the machine's monotonic clock
 * @param keptData whether Redis has kept its data, as planned or not
 * @param findings one for each contract
 * @param disorderly answers whose decision is not between asking and hearing
 * @param errors what nodes have answered in place of a decision
 * @param unserved who did not serve again, long after all was put right
 */
record Outcome(
    Schedule schedule,
    long origin,
    boolean keptData,
    List<Finding> findings,
    List<Answer> disorderly,
    List<String> errors,
    Optional<String> unserved) {

  /**
   * What was found out about one contract.
   *
   * @param yeses how many there were
   * @param leased how many of these were taken from a lease
   * @param violations the worst of each user who was over the limit
   * @param broken those that were promised not to be
   * @param shares by fault, how many questions should have been answered with yes, and were not
   */
  record Finding(
      Contract contract,
      long yeses,
      long leased,
      List<Violation> violations,
      List<Violation> broken,
      List<Availability> shares) {}

  /**
   * From when a fault began until the next one did.
   *
   * @param due how many questions should have been answered with yes
   * @param refused how many of these were not
   */
  record Availability(Fault fault, long due, long refused) {}

  /** Whether all that was promised was kept. */
  boolean isGood() {
    return disorderly.isEmpty() && errors.isEmpty() && broken().isEmpty() && unserved.isEmpty();
  }

  /**
   * This, if it is bad, or if all went as planned.
   *
   * @param trouble what the stage could not do
   * @throws StageFailure if nothing is found, but something else was tried than what was planned
   */
  Outcome unlessSpoilt(Optional<Throwable> trouble) {
    if (isGood() && trouble.isPresent()) {
      throw new StageFailure(trouble.get());
    }
    if (isGood() && schedule.keepsData() && !keptData) {
      throw new StageFailure("Redis was to keep its data, and did not");
    }
    return this;
  }

  Outcome withUnserved(Optional<String> who) {
    return new Outcome(schedule, origin, keptData, findings, disorderly, errors, who);
  }

  /** The findings that break a promise. */
  List<Finding> broken() {
    return findings.stream().filter(finding -> !finding.broken().isEmpty()).toList();
  }
}
