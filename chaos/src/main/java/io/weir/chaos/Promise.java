package io.weir.chaos;

import java.util.List;

/**
 * What a contract promises while a schedule goes on.
 *
 * @param keptData whether Redis has kept its data, and its clock was not put forward
 * @param processes how many node processes there have been, one after the other counted too
 */
record Promise(Contract contract, boolean keptData, int processes) {
  /** The violations that break it. */
  List<Violation> brokenBy(List<Answer> log) {
    return switch (contract.consistency()) {
      case STRICT -> new Auditor(contract.bound()).violations(log);
      case EXACT, LEASED ->
          keptData ? new Auditor(contract.bound()).violations(log) : List.<Violation>of();
      case EVENTUAL -> new Auditor(ofAllProcesses()).violations(log);
    };
  }

  /** Every process has the whole limit, whatever it hears of the others. */
  private Bound ofAllProcesses() {
    Bound ofOne = contract.bound();
    return nanos -> processes * ofOne.most(nanos);
  }
}
