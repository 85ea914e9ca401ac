package io.weir.redis;

import io.weir.algorithm.Algorithm.Mark;
import java.util.ArrayList;
import java.util.List;

/**
 * Identifies a charge in each of its buckets, so that it can be corrected.
 *
 * @param scriptPlan the plan of the charge; under another plan nothing is given back
 * @param marks of each limit; none if nothing was taken
 */
record ChargeMarks(ScriptPlan scriptPlan, List<Mark> marks) {
  /** The marks of a part of the charge, which is given back after the rest was. */
  ChargeMarks ofPart() {
    List<Mark> parts = new ArrayList<>(marks.size());
    for (int i = 0; i < marks.size(); i++) {
      parts.add(scriptPlan.terms()[i].ofPart(marks.get(i)));
    }
    return new ChargeMarks(scriptPlan, parts);
  }
}
