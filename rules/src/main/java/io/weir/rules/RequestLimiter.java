package io.weir.rules;

import io.weir.RateLimiter;
import io.weir.Store;
import io.weir.TimeSource;
import io.weir.rules.engine.ActiveRules;
import io.weir.rules.engine.CompiledDomain;
import io.weir.rules.engine.Decider;
import io.weir.rules.engine.KeyJoiner;
import io.weir.rules.engine.LimiterBucket;
import io.weir.rules.engine.LimiterFactory;
import io.weir.rules.engine.LimiterHandle;
import io.weir.rules.engine.RequestCharges;
import io.weir.rules.engine.RulesSnapshot;
import io.weir.rules.engine.SettleableCharge;
import io.weir.rules.envoy.DescriptorChargesFactory;
import io.weir.rules.envoy.DescriptorDecision;
import io.weir.rules.envoy.DescriptorMode;
import io.weir.rules.envoy.DescriptorRequest;
import io.weir.rules.envoy.OverrideLimiters;
import io.weir.rules.match.MalformedRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Checks requests against rules, which may be replaced at any time. Thread-safe.
 *
 * <pre>{@code
 * RequestLimiter limiter = RequestLimiter.builder(rules).build();
 * RequestDecision decision = limiter.check(request);
 * }</pre>
 *
 * <p>One rule set decides a request from beginning to end. Spent permits survive a {@link #reload}.
 */
public final class RequestLimiter {
  private final ActiveRules activeRules;
  private final Decider decider;
  private final DescriptorChargesFactory descriptorCharges;
  private final DescriptorMode mode;

  private RequestLimiter(Builder builder) {
    Store store = builder.store == null ? Store.memory() : builder.store;
    this.mode = builder.descriptors;
    LimiterFactory limiterFactory =
        new LimiterFactory(store, builder.time, builder.maxKeys, mode.countsRefused());
    this.activeRules = new ActiveRules(builder.rules, limiterFactory);
    this.decider = new Decider(activeRules);
    this.descriptorCharges =
        new DescriptorChargesFactory(mode, new OverrideLimiters(limiterFactory));
  }

  /** A builder for a limiter with {@code rules}. */
  public static Builder builder(RuleSet rules) {
    return new Builder(rules);
  }

  /**
   * Charges a request to all rules that apply to it, or to none if an enforced one refuses. Blocks
   * while a remote store is called.
   *
   * @throws io.weir.rules.match.MalformedRequestException if rules cannot be applied to the request
   */
  public RequestDecision check(Request request) {
    return decider.now(rules -> RequestCharges.of(request, rules));
  }

  /**
   * {@link #check} for callers that must not block. The stage is complete when it is returned
   * unless a remote store is called. Otherwise it completes on a thread of the store, which must
   * not be blocked: see {@link io.weir.AsyncRateLimiter}.
   */
  public CompletionStage<RequestDecision> checkAsync(Request request) {
    return decider.later(rules -> RequestCharges.of(request, rules));
  }

  /** {@link #checkAsync} at a cost that is corrected later. */
  public CompletionStage<HeldCharge> hold(Request request) {
    return decider
        .<RequestDecision>charge(rules -> RequestCharges.of(request, rules))
        .thenApply(SettleableCharge::new);
  }

  /**
   * Charges the descriptors of the Envoy form, and the rules of Weir's own form in their domain.
   * All is charged, or nothing if the request is refused. Each result shows the state of its
   * descriptor; it is refused only if the descriptor's own limits refuse.
   *
   * <ul>
   *   <li>A descriptor without hits of its own costs those of the request, where 0 means 1. With 0
   *       hits of its own it only checks: without a remaining permit it is refused, and with it the
   *       request, but it spends nothing. A negative one gives permits back unless the request is
   *       refused.
   *   <li>Limits in quota mode refuse only if all of them do; those with permits are charged.
   *   <li>Shadow limits are charged if the request is allowed, and have no decision if not.
   * </ul>
   *
   * <p>{@link DescriptorMode} describes the differences of other modes.
   *
   * @throws io.weir.rules.match.MalformedRequestException if rules cannot be applied to the request
   */
  public CompletionStage<DescriptorDecision> checkAsync(DescriptorRequest request) {
    return decider.later(rules -> descriptorCharges.charges(request, rules));
  }

  /** How descriptors are checked. */
  public DescriptorMode descriptorMode() {
    return mode;
  }

  /**
   * The buckets of a rule for {@code caller}, described by the attributes in {@code per}: those of
   * the rule and of its variants.
   *
   * @throws io.weir.rules.match.MalformedRequestException if an attribute is missing, or if no such
   *     rule is in force
   */
  public List<RuleBucket> buckets(Rule rule, Request caller) {
    RulesSnapshot rules = activeRules.rulesSnapshot();
    CompiledDomain domain = rules.rules().domain(rule.domain());
    String key = domain == null ? null : domain.keyOf(rule, caller);
    if (key == null) {
      throw new MalformedRequestException("rule '" + rule.name() + "' is not in force");
    }
    return buckets(rule, key, rules);
  }

  /**
   * {@link #buckets(Rule, Request)} for a caller with a known key: see {@link RuleDecision}. Empty
   * if the rule is not in force.
   */
  public List<RuleBucket> buckets(Rule rule, String key) {
    return buckets(rule, key, activeRules.rulesSnapshot());
  }

  /**
   * The limits of a rule that apply to {@code caller}: the rule's own, or an override's. Empty if
   * that depends on attributes that {@code caller} lacks.
   */
  public Optional<LimitGroup> applying(Rule rule, Request caller) {
    if (rule.ruleOverrides().isEmpty()) {
      return rule.limits().isEmpty() ? Optional.empty() : Optional.of(LimitGroup.of(rule));
    }
    CompiledDomain domain = activeRules.rulesSnapshot().rules().domain(rule.domain());
    return domain == null ? Optional.empty() : domain.applying(rule, caller);
  }

  /** {@link #applying(Rule, Request)} for a caller with a known key: see {@link RuleDecision}. */
  public Optional<LimitGroup> applying(Rule rule, String key) {
    List<String> values = KeyJoiner.split(key);
    return applying(
        rule,
        name -> {
          int at = rule.per().indexOf(name);
          return at < 0 || at >= values.size() ? null : values.get(at);
        });
  }

  private static List<RuleBucket> buckets(Rule rule, String key, RulesSnapshot rules) {
    List<RuleBucket> ruleBuckets = new ArrayList<>();
    for (LimitGroup limitGroup : rules.rules().limitGroups()) {
      Rule of = limitGroup.rule();
      if (of.id().equals(rule.id()) && of.domain().equals(rule.domain())) {
        ruleBuckets.add(new LimiterBucket(rules.of(limitGroup), key));
      }
    }
    return ruleBuckets;
  }

  /**
   * The memory that the limits in force use in this process; limits that were never used are left
   * out.
   */
  public List<Usage> usage() {
    List<Usage> all = new ArrayList<>();
    for (LimiterHandle limiterHandle : activeRules.rulesSnapshot().limiterHandles()) {
      RateLimiter open = limiterHandle.lazyLimiter().limiter();
      if (open != null) {
        all.add(new Usage(limiterHandle.limitGroup(), open.keys(), open.overflowed()));
      }
    }
    return all;
  }

  /**
   * The memory that the limits of a rule, or of one of its variants, use in this process; nothing
   * with a remote store.
   *
   * @param keys how many keys are kept apart now, approximately
   * @param overflowed how many checks the overflow bucket has decided so far
   */
  public record Usage(LimitGroup limitGroup, long keys, long overflowed) {}

  /** The rules in force. */
  public RuleSet rules() {
    return activeRules.rulesSnapshot().rules();
  }

  /**
   * Replaces the rules; checks continue meanwhile. A rule is identified by its domain, its name and
   * its {@code per}; an override by its name or match. If those stay the same, a limit of the same
   * algorithm and period keeps its spent permits. A removed rule frees its memory.
   */
  public void reload(RuleSet rules) {
    activeRules.reload(rules);
  }

  /** The settings of a limiter. */
  public static final class Builder {
    private final RuleSet rules;
    private @Nullable Store store;
    private TimeSource time = TimeSource.system();
    private long maxKeys = RateLimiter.DEFAULT_MAX_KEYS;
    private DescriptorMode descriptors = DescriptorMode.DEFAULT;

    private Builder(RuleSet rules) {
      this.rules = Objects.requireNonNull(rules, "rules");
    }

    /** The store; the default is memory. */
    public Builder store(Store store) {
      this.store = Objects.requireNonNull(store, "store");
      return this;
    }

    /** The clock of a local store; the default is the system clock. */
    public Builder time(TimeSource time) {
      this.time = Objects.requireNonNull(time, "time");
      return this;
    }

    /** The maximum number of keys with spent permits that each rule keeps apart in this process. */
    public Builder maxKeys(long maxKeys) {
      this.maxKeys = maxKeys;
      return this;
    }

    /** How descriptors are checked. */
    public Builder descriptors(DescriptorMode mode) {
      this.descriptors = Objects.requireNonNull(mode, "mode");
      return this;
    }

    /** Builds the limiter. */
    public RequestLimiter build() {
      return new RequestLimiter(this);
    }
  }
}
