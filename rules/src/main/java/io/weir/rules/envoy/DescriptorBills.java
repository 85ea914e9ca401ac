package io.weir.rules.envoy;

import io.weir.Limit;
import io.weir.rules.Claim;
import io.weir.rules.Cost;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import io.weir.rules.engine.CompiledDomain;
import io.weir.rules.engine.Demand;
import io.weir.rules.engine.LimiterHandle;
import io.weir.rules.engine.RulesSnapshot;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds the bills for questions of the Envoy form. */
public final class DescriptorBills {
  private final DescriptorMode mode;
  private final OverrideLimiters overrideLimiters;

  public DescriptorBills(DescriptorMode mode, OverrideLimiters overrideLimiters) {
    this.mode = mode;
    this.overrideLimiters = overrideLimiters;
  }

  /**
   * The demands of {@code question} under {@code rules}.
   *
   * @throws io.weir.rules.match.MalformedRequestException if rules cannot be applied to it
   */
  public DescriptorBill bill(DescriptorRequest question, RulesSnapshot rules) {
    List<Descriptor> descriptors = question.descriptors();
    CompiledDomain domain = rules.rules().domain(question.domain());
    List<DescriptorMatch> descriptorMatches = findings(descriptors, domain);
    List<Demand> demands = new ArrayList<>(descriptors.size());
    int[] ends = new int[descriptors.size()];
    for (int i = 0; domain != null && i < ends.length; i++) {
      Descriptor descriptor = descriptors.get(i);
      if (descriptorMatches.get(i) instanceof DescriptorMatch.Limited limited) {
        demands.add(ofTree(limited, descriptor, question.hits(), domain, rules));
      }
      if (domain.hasRules()) {
        addOfRules(descriptor, question.hits(), domain, rules, demands);
      }
      ends[i] = demands.size();
    }
    return new DescriptorBill(descriptors, descriptorMatches, demands, ends, mode);
  }

  private static List<DescriptorMatch> findings(
      List<Descriptor> descriptors, @Nullable CompiledDomain domain) {
    if (domain == null) {
      return Collections.nCopies(descriptors.size(), new DescriptorMatch.UnknownDomain());
    }
    if (descriptors.size() == 1) { // a single descriptor has no other limit to replace
      return List.of(domain.find(descriptors.get(0)));
    }
    List<DescriptorMatch> found = new ArrayList<>(descriptors.size());
    for (Descriptor descriptor : descriptors) {
      found.add(domain.find(descriptor));
    }
    return DescriptorMatch.settle(found);
  }

  private Demand ofTree(
      DescriptorMatch.Limited limited,
      Descriptor descriptor,
      long hits,
      CompiledDomain domain,
      RulesSnapshot rules) {
    DescriptorLimit limit = limited.limit();
    LimiterHandle limiterHandle =
        limit.isOverride()
            ? overrideLimiters.of(
                limit, limit.configured().map(each -> rules.of(domain.meter(each))))
            : rules.of(domain.meter(limit));
    boolean isQuota = mode.quota() || limit.quotaMode();
    Demand.Kind kind = kind(descriptor, limiterHandle.limitGroup().rule());
    long cost = descriptor.cost(hits);
    boolean isPostPaid = limit.isPostPaid() && !EnvoyCounting.countsAll(limiterHandle);
    boolean isCharge = kind == Demand.Kind.TAKE || kind == Demand.Kind.TRY;
    if (isPostPaid && isCharge) {
      return new Demand(limiterHandle, limited.key(), cost, Demand.Kind.CHARGE_IN_FULL, isQuota);
    }
    if (mode.countsRefused() && !isPostPaid && kind != Demand.Kind.GIVE_BACK) {
      long counted = Math.min(cost, Limit.MAX_PERMITS);
      return new Demand(limiterHandle, limited.key(), counted, Demand.Kind.COUNT, isQuota);
    }
    return new Demand(limiterHandle, limited.key(), descriptor.isLook() ? 1 : cost, kind, isQuota);
  }

  private static void addOfRules(
      Descriptor descriptor,
      long hits,
      CompiledDomain domain,
      RulesSnapshot rules,
      List<Demand> to) {
    List<Claim> claims = new ArrayList<>();
    domain.addClaims(descriptor.toRequest(hits), claims);
    for (Claim claim : claims) {
      // A rule with a cost of its own charges that cost and does not refund the hits of a
      // descriptor.
      if (!descriptor.isNegative() || claim.rule().cost() instanceof Cost.OfRequest) {
        Demand.Kind kind = kind(descriptor, claim.rule());
        to.add(new Demand(rules.of(claim.limitGroup()), claim.key(), claim.cost(), kind, false));
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
