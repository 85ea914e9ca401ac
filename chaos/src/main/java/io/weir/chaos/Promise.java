package io.weir.chaos;

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
 */
record Promise(Contract contract, boolean keptData, int lives) {
  /** The violations that break it. */
  List<Violation> brokenBy(List<Answer> log) {
    if (contract.consistency() == Consistency.EVENTUAL) {
      return new Auditor(ofAllLives()).violations(log);
    }
    boolean isPromised = keptData || contract.isStrict() || isLocal();
    return isPromised ? over(log) : List.of();
  }

  /** All grants beyond the limit, whether or not promised. */
  List<Violation> over(List<Answer> log) {
    List<Answer> audited = isLocal() ? log.stream().filter(Promise::isLocal).toList() : log;
    return new Auditor(contract.bound()).violations(audited);
  }

  /**
   * Whether nodes share the limit in an outage; what Redis granted before and after is separate.
   */
  private boolean isLocal() {
    return contract.policy() == OnFailure.LOCAL;
  }

  private static boolean isLocal(Answer answer) {
    return answer.origin() == Origin.LOCAL;
  }

  /**
   * Every process has the whole limit, whatever it learns from the others. After a forward clock
   * step it starts anew: the grants before and after a step each keep the limit.
   */
  private Bound ofAllLives() {
    Bound ofOne = contract.bound();
    return nanos -> lives * ofOne.most(nanos);
  }
}
