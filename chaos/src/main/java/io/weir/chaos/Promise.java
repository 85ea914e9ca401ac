package io.weir.chaos;

import io.weir.Consistency;
import io.weir.OnFailure;
import io.weir.Origin;
import java.util.List;

/**
 * What a contract promises while a schedule goes on.
 *
 * @param keptData whether Redis has kept its data, and its clock was not put forward
 * @param lives how many node processes there have been, one after the other counted too, and one
 *     more for each time that the clock of one was put forward
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

  /** Whatever is over the limit, whether or not it may be. */
  List<Violation> over(List<Answer> log) {
    List<Answer> audited = isLocal() ? log.stream().filter(Promise::isLocal).toList() : log;
    return new Auditor(contract.bound()).violations(audited);
  }

  /** Nodes are to share the limit in an outage; what Redis granted before and after is apart. */
  private boolean isLocal() {
    return contract.policy() == OnFailure.LOCAL;
  }

  private static boolean isLocal(Answer answer) {
    return answer.origin() == Origin.LOCAL;
  }

  /**
   * Every process has the whole limit, whatever it hears of the others, and by a clock that is put
   * forward it forgets: what comes before a step and what comes after it keep the limit, each for
   * itself.
   */
  private Bound ofAllLives() {
    Bound ofOne = contract.bound();
    return nanos -> lives * ofOne.most(nanos);
  }
}
