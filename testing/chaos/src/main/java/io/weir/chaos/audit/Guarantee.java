package io.weir.chaos.audit;

import io.weir.Consistency;
import io.weir.OnFailure;
import io.weir.Origin;
import java.util.List;

/**
 * What a contract promises during a schedule.
 *
 * @param keptData whether Redis kept its data, and its clock was not stepped forward
 * @param lives the number of node processes, successive ones included, plus one for each forward
 *     step of a node's clock
 * @param stepsBack how often Redis's clock was put back
 */
public record Guarantee(Contract contract, boolean keptData, int lives, int stepsBack) {
  /** With a clock of Redis that is never put back. */
  public Guarantee(Contract contract, boolean keptData, int lives) {
    this(contract, keptData, lives, 0);
  }

  /** The violations that break it. */
  public List<Violation> brokenBy(List<RecordedCheck> log) {
    if (contract.consistency() == Consistency.EVENTUAL) {
      return new Auditor(ofAllLives()).violations(log);
    }
    boolean isPromised = keptData || contract.isStrict() || isLocal();
    return isPromised ? over(log) : List.of();
  }

  /** All grants beyond the limit, whether or not promised. */
  public List<Violation> over(List<RecordedCheck> log) {
    List<RecordedCheck> audited =
        isLocal() ? log.stream().filter(Guarantee::isLocal).toList() : log;
    return new Auditor(contract.grantBound(stepsBack)).violations(audited);
  }

  /**
   * Whether nodes share the limit in an outage; what Redis granted before and after is separate.
   */
  private boolean isLocal() {
    return contract.policy() == OnFailure.LOCAL;
  }

  private static boolean isLocal(RecordedCheck recordedCheck) {
    return recordedCheck.origin() == Origin.LOCAL;
  }

  /**
   * Every process has the whole limit, whatever it learns from the others. After a forward clock
   * step it starts anew: the grants before and after a step each keep the limit.
   */
  private GrantBound ofAllLives() {
    GrantBound ofOne = contract.grantBound(stepsBack);
    return nanos -> lives * ofOne.maxPermits(nanos);
  }
}
