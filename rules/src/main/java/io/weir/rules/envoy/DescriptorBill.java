package io.weir.rules.envoy;

import io.weir.rules.RequestDecision;
import io.weir.rules.RuleDecision;
import io.weir.rules.engine.Bill;
import io.weir.rules.engine.Demand;
import io.weir.rules.engine.RequestDecisions;
import java.util.ArrayList;
import java.util.List;

/** The demands of descriptors on the buckets of everything that limits them. */
public final class DescriptorBill extends Bill<DescriptorDecision> {
  private final List<Descriptor> descriptors;
  private final List<DescriptorMatch> descriptorMatches;
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
      List<DescriptorMatch> descriptorMatches,
      List<Demand> demands,
      int[] ends,
      DescriptorMode mode) {
    super(demands);
    this.descriptors = descriptors;
    this.descriptorMatches = descriptorMatches;
    this.ends = ends;
    this.mode = mode;
  }

  @Override
  public boolean isEachByItself() {
    return mode.countsRefused();
  }

  @Override
  public DescriptorDecision answer() {
    List<DescriptorDecision.DescriptorResult> descriptorResults = new ArrayList<>(ends.length);
    int from = 0;
    for (int i = 0; i < ends.length; i++) {
      RequestDecision requestDecision = RequestDecisions.ruling(demands().subList(from, ends[i]));
      descriptorResults.add(
          new DescriptorDecision.DescriptorResult(
              descriptors.get(i), descriptorMatches.get(i), requestDecision));
      from = ends[i];
    }
    Outcome outcome = new Outcome();
    demands().forEach(outcome::add);
    boolean allowed = mode.shadow() || outcome.isAllowed();
    return new DescriptorDecision(allowed, !allowed && outcome.isError(), descriptorResults);
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
      RuleDecision ruleDecision = demand.ruleDecision();
      boolean no = !demand.isShadow() && !ruleDecision.decision().allowed();
      boolean byRule = no && !RequestDecision.isError(ruleDecision);
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
