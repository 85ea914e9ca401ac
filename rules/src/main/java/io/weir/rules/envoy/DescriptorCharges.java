package io.weir.rules.envoy;

import io.weir.rules.RequestDecision;
import io.weir.rules.RuleDecision;
import io.weir.rules.engine.PendingCharge;
import io.weir.rules.engine.PendingCharges;
import io.weir.rules.engine.RequestDecisions;
import java.util.ArrayList;
import java.util.List;

/** The charges of descriptors, by everything that limits them. */
public final class DescriptorCharges extends PendingCharges<DescriptorDecision> {
  private final List<Descriptor> descriptors;
  private final List<DescriptorMatch> descriptorMatches;
  private final int[] ends;
  private final DescriptorMode mode;

  /**
   * Creates the charges of one request.
   *
   * @param charges of all descriptors, one after the other
   * @param ends where the charges of each descriptor end
   */
  DescriptorCharges(
      List<Descriptor> descriptors,
      List<DescriptorMatch> descriptorMatches,
      List<PendingCharge> charges,
      int[] ends,
      DescriptorMode mode) {
    super(charges);
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
  public DescriptorDecision result() {
    List<DescriptorDecision.DescriptorResult> descriptorResults = new ArrayList<>(ends.length);
    int from = 0;
    for (int i = 0; i < ends.length; i++) {
      RequestDecision requestDecision = RequestDecisions.of(list().subList(from, ends[i]));
      descriptorResults.add(
          new DescriptorDecision.DescriptorResult(
              descriptors.get(i), descriptorMatches.get(i), requestDecision));
      from = ends[i];
    }
    Outcome outcome = new Outcome();
    list().forEach(outcome::add);
    boolean allowed = mode.shadow() || outcome.isAllowed();
    return new DescriptorDecision(allowed, !allowed && outcome.isError(), descriptorResults);
  }

  /**
   * The result of all charges. It is a refusal if one outside quota mode is refused, or if all in
   * quota mode are. It is an error only if every refusal is an error.
   */
  private static final class Outcome {
    private boolean refused;
    private boolean refusedByRule;
    private int quotas;
    private int quotasRefused;
    private boolean quotaRefusedByRule;

    void add(PendingCharge charge) {
      if (!charge.isDecided() || (charge.isShadow() && !charge.isCounted())) {
        return;
      }
      RuleDecision ruleDecision = charge.ruleDecision();
      boolean isRefused = !charge.isShadow() && !ruleDecision.decision().allowed();
      boolean byRule = isRefused && !RequestDecision.isError(ruleDecision);
      if (charge.isQuota()) {
        quotas++;
        quotasRefused += isRefused ? 1 : 0;
        quotaRefusedByRule |= byRule;
      } else {
        refused |= isRefused;
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
