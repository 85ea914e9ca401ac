package io.weir.rules;

import io.weir.Limit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds the bills for questions of the Envoy form. */
final class DescriptorBills {
  private final DescriptorMode mode;
  private final Overrides overrides;

  DescriptorBills(DescriptorMode mode, Overrides overrides) {
    this.mode = mode;
    this.overrides = overrides;
  }

  /**
   * The demands of {@code question} under {@code rules}.
   *
   * @throws io.weir.rules.match.MalformedRequestException if rules cannot be applied to it
   */
  DescriptorBill bill(DescriptorQuestion question, InForce rules) {
    List<Descriptor> descriptors = question.descriptors();
    CompiledDomain domain = rules.rules().domain(question.domain());
    List<Finding> findings = findings(descriptors, domain);
    List<Demand> demands = new ArrayList<>(descriptors.size());
    int[] ends = new int[descriptors.size()];
    for (int i = 0; domain != null && i < ends.length; i++) {
      Descriptor descriptor = descriptors.get(i);
      if (findings.get(i) instanceof Finding.Limited limited) {
        demands.add(ofTree(limited, descriptor, question.hits(), domain, rules));
      }
      if (domain.hasRules()) {
        addOfRules(descriptor, question.hits(), domain, rules, demands);
      }
      ends[i] = demands.size();
    }
    return new DescriptorBill(descriptors, findings, demands, ends, mode);
  }

  private static List<Finding> findings(
      List<Descriptor> descriptors, @Nullable CompiledDomain domain) {
    if (domain == null) {
      return Collections.nCopies(descriptors.size(), new Finding.UnknownDomain());
    }
    if (descriptors.size() == 1) { // a single descriptor has no other limit to replace
      return List.of(domain.find(descriptors.get(0)));
    }
    List<Finding> found = new ArrayList<>(descriptors.size());
    for (Descriptor descriptor : descriptors) {
      found.add(domain.find(descriptor));
    }
    return Finding.settle(found);
  }

  private Demand ofTree(
      Finding.Limited limited,
      Descriptor descriptor,
      long hits,
      CompiledDomain domain,
      InForce rules) {
    DescriptorLimit limit = limited.limit();
    Bound bound =
        limit.isOverride()
            ? overrides.of(limit, limit.configured().map(each -> rules.of(domain.meter(each))))
            : rules.of(domain.meter(limit));
    boolean isQuota = mode.quota() || limit.quotaMode();
    Demand.Kind kind = kind(descriptor, bound.meter().rule());
    long cost = descriptor.cost(hits);
    boolean isPostPaid = limit.isPostPaid() && !Counting.countsAll(bound);
    boolean isCharge = kind == Demand.Kind.TAKE || kind == Demand.Kind.TRY;
    if (isPostPaid && isCharge) {
      return new Demand(bound, limited.key(), cost, Demand.Kind.CHARGE_IN_FULL, isQuota);
    }
    if (mode.countsRefused() && !isPostPaid && kind != Demand.Kind.GIVE_BACK) {
      long counted = Math.min(cost, Limit.MAX_PERMITS);
      return new Demand(bound, limited.key(), counted, Demand.Kind.COUNT, isQuota);
    }
    return new Demand(bound, limited.key(), descriptor.isLook() ? 1 : cost, kind, isQuota);
  }

  private static void addOfRules(
      Descriptor descriptor, long hits, CompiledDomain domain, InForce rules, List<Demand> to) {
    List<Claim> claims = new ArrayList<>();
    domain.addClaims(descriptor.toRequest(hits), claims);
    for (Claim claim : claims) {
      // A rule with a cost of its own charges that cost and does not refund the hits of a
      // descriptor.
      if (!descriptor.isNegative() || claim.rule().cost() instanceof Cost.OfRequest) {
        Demand.Kind kind = kind(descriptor, claim.rule());
        to.add(new Demand(rules.of(claim.meter()), claim.key(), claim.cost(), kind, false));
      }
    }
  }

  private static Demand.Kind kind(Descriptor descriptor, Rule rule) {
    if (descriptor.isNegative()) {
      return Demand.Kind.GIVE_BACK;
    }
    boolean isShadow = rule.policy().mode() == Policy.Mode.SHADOW;
    if (descriptor.isLook()) {
      return isShadow ? Demand.Kind.GLANCE : Demand.Kind.LOOK;
    }
    return isShadow ? Demand.Kind.TRY : Demand.Kind.TAKE;
  }
}
