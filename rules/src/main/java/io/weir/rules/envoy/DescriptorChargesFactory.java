package io.weir.rules.envoy;

import io.weir.Limit;
import io.weir.rules.Cost;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import io.weir.rules.engine.CompiledDomain;
import io.weir.rules.engine.LimiterHandle;
import io.weir.rules.engine.PendingCharge;
import io.weir.rules.engine.RulesSnapshot;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes the charges for requests of the Envoy form. */
public final class DescriptorChargesFactory {
  private final DescriptorMode mode;
  private final OverrideLimiters overrideLimiters;

  public DescriptorChargesFactory(DescriptorMode mode, OverrideLimiters overrideLimiters) {
    this.mode = mode;
    this.overrideLimiters = overrideLimiters;
  }

  /**
   * The charges of {@code request} under {@code rules}.
   *
   * @throws io.weir.rules.match.MalformedRequestException if rules cannot be applied to it
   */
  public DescriptorCharges charges(DescriptorRequest request, RulesSnapshot rules) {
    List<Descriptor> descriptors = request.descriptors();
    CompiledDomain domain = rules.rules().domain(request.domain());
    List<DescriptorMatch> descriptorMatches = find(descriptors, domain);
    List<PendingCharge> charges = new ArrayList<>(descriptors.size());
    int[] ends = new int[descriptors.size()];
    for (int i = 0; domain != null && i < ends.length; i++) {
      Descriptor descriptor = descriptors.get(i);
      if (descriptorMatches.get(i) instanceof DescriptorMatch.Limited limited) {
        charges.add(ofTree(limited, descriptor, request.hits(), domain, rules));
      }
      if (domain.hasRules()) {
        addOfRules(descriptor, request.hits(), domain, rules, charges);
      }
      ends[i] = charges.size();
    }
    return new DescriptorCharges(descriptors, descriptorMatches, charges, ends, mode);
  }

  private static List<DescriptorMatch> find(
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

  private PendingCharge ofTree(
      DescriptorMatch.Limited limited,
      Descriptor descriptor,
      long hits,
      CompiledDomain domain,
      RulesSnapshot rules) {
    DescriptorLimit limit = limited.limit();
    LimiterHandle limiterHandle =
        limit.isOverride()
            ? overrideLimiters.of(
                limit, limit.configured().map(each -> rules.of(domain.limitGroup(each))))
            : rules.of(domain.limitGroup(limit));
    boolean isQuota = mode.quota() || limit.quotaMode();
    PendingCharge.Kind kind = kind(descriptor, limiterHandle.limitGroup().rule());
    long cost = descriptor.cost(hits);
    boolean isPostPaid = limit.isPostPaid() && !EnvoyCounting.countsAll(limiterHandle);
    boolean isCharge = kind == PendingCharge.Kind.TAKE || kind == PendingCharge.Kind.SHADOW_TAKE;
    if (isPostPaid && isCharge) {
      return new PendingCharge(
          limiterHandle, limited.key(), cost, PendingCharge.Kind.CHARGE_IN_FULL, isQuota);
    }
    if (mode.countsRefused() && !isPostPaid && kind != PendingCharge.Kind.REFUND) {
      long counted = Math.min(cost, Limit.MAX_PERMITS);
      return new PendingCharge(
          limiterHandle, limited.key(), counted, PendingCharge.Kind.COUNT, isQuota);
    }
    return new PendingCharge(
        limiterHandle, limited.key(), descriptor.isPeek() ? 1 : cost, kind, isQuota);
  }

  private static void addOfRules(
      Descriptor descriptor,
      long hits,
      CompiledDomain domain,
      RulesSnapshot rules,
      List<PendingCharge> to) {
    List<PendingCharge> ofRules = new ArrayList<>();
    domain.addCharges(descriptor.toRequest(hits), ofRules);
    for (PendingCharge charge : ofRules) {
      // A rule with a cost of its own charges that cost and does not refund the hits of a
      // descriptor.
      if (!descriptor.isNegative() || charge.rule().cost() instanceof Cost.OfRequest) {
        to.add(charge.bound(rules, kind(descriptor, charge.rule())));
      }
    }
  }

  private static PendingCharge.Kind kind(Descriptor descriptor, Rule rule) {
    if (descriptor.isNegative()) {
      return PendingCharge.Kind.REFUND;
    }
    boolean isShadow = rule.policy().mode() == Policy.Mode.SHADOW;
    if (descriptor.isPeek()) {
      return isShadow ? PendingCharge.Kind.SHADOW_PEEK : PendingCharge.Kind.PEEK;
    }
    return isShadow ? PendingCharge.Kind.SHADOW_TAKE : PendingCharge.Kind.TAKE;
  }
}
