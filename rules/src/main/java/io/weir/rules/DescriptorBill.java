package io.weir.rules;

import java.util.ArrayList;
import java.util.List;

/** The demands of descriptors on the buckets of everything that limits them. */
final class DescriptorBill extends Bill<DescriptorRuling> {
  private final List<Descriptor> descriptors;
  private final List<Finding> findings;
  private final int[] ends;
  private final DescriptorMode mode;

  /**
   * Creates a bill.
   *
   * @param demands of all descriptors, one after the other
   * @param ends where the demands of each descriptor end
   */
  DescriptorBill(
      List<Descriptor> descriptors,
      List<Finding> findings,
      List<Demand> demands,
      int[] ends,
      DescriptorMode mode) {
    super(demands);
    this.descriptors = descriptors;
    this.findings = findings;
    this.ends = ends;
    this.mode = mode;
  }

  @Override
  boolean isEachByItself() {
    return mode.countsRefused();
  }

  @Override
  DescriptorRuling answer() {
    List<DescriptorRuling.Answer> answers = new ArrayList<>(ends.length);
    int from = 0;
    for (int i = 0; i < ends.length; i++) {
      Ruling ruling = Verdicts.ruling(demands().subList(from, ends[i]));
      answers.add(new DescriptorRuling.Answer(descriptors.get(i), findings.get(i), ruling));
      from = ends[i];
    }
    Outcome outcome = new Outcome();
    demands().forEach(outcome::add);
    boolean allowed = mode.shadow() || outcome.isAllowed();
    return new DescriptorRuling(allowed, !allowed && outcome.isError(), answers);
  }

  /**
   * The result of all demands. It is a refusal if a demand outside quota mode is refused, or if all
   * in quota mode are. It is an error only if every refusal is an error.
   */
  private static final class Outcome {
    private boolean refused;
    private boolean refusedByRule;
    private int quotas;
    private int quotasRefused;
    private boolean quotaRefusedByRule;

    void add(Demand demand) {
      if (!demand.isDecided() || (demand.isShadow() && !demand.isCounted())) {
        return;
      }
      Verdict verdict = demand.verdict();
      boolean no = !demand.isShadow() && !verdict.decision().allowed();
      boolean byRule = no && !Ruling.isError(verdict);
      if (demand.isQuota()) {
        quotas++;
        quotasRefused += no ? 1 : 0;
        quotaRefusedByRule |= byRule;
      } else {
        refused |= no;
        refusedByRule |= byRule;
      }
    }

    private boolean isOutOfQuota() {
      return quotas > 0 && quotas == quotasRefused;
    }

    boolean isAllowed() {
      return !refused && !isOutOfQuota();
    }

    boolean isError() {
      return !refusedByRule && !(isOutOfQuota() && quotaRefusedByRule);
    }
  }
}
