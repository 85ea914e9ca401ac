package io.weir.decision;

import io.weir.Fallbacks;
import io.weir.OnFailure;
import io.weir.rules.Domain;
import io.weir.rules.Policy;
import io.weir.rules.RequestDecision;
import io.weir.rules.Rule;
import io.weir.rules.RuleDecision;
import io.weir.rules.RuleSet;
import io.weir.rules.envoy.DescriptorDecision;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts decisions by rule and outcome, and requests by front end and outcome. Thread-safe;
 * counting takes no lock and allocates nothing.
 *
 * <p>The number of counters depends only on the number of rules, not on callers or their input. All
 * limits that requests carry are counted together, per domain. Counters survive a rule change if
 * the rule keeps its name, also while the rule is off. See {@link MetricLabels} for the labels.
 */
public final class DecisionCounters {
  /*
   * A rule is found by identity: the objects of the rules in force are nearly always the same, and
   * comparing whole rules would cost more than the decision. A rule that is not found has one of
   * three causes. The rules were replaced: the table is rebuilt. The request was in progress during
   * the replacement: its rule is found by name. The rule was removed, and so was its counter.
   */
  private volatile CounterIndex counterIndex = new CounterIndex(null, null);
  private final DecisionListener decisionListener;
  private final Map<FrontEnd, RequestCounters> requests = new EnumMap<>(FrontEnd.class);
  private final Set<FrontEnd> opened = ConcurrentHashMap.newKeySet();
  private final DecisionTimings decisionTimings = new DecisionTimings();
  private final FallbackCounters fallbacks = new FallbackCounters();

  /** Only counts, without a listener. */
  public DecisionCounters() {
    this(DecisionListener.NOBODY);
  }

  /**
   * @param decisionListener receives each decision that is counted
   */
  public DecisionCounters(DecisionListener decisionListener) {
    this.decisionListener = decisionListener;
    for (FrontEnd each : FrontEnd.values()) {
      requests.put(each, new RequestCounters());
    }
  }

  /**
   * Counts the decisions of the rules on one request.
   *
   * @param inForce the rules in force now
   */
  void count(RequestDecision requestDecision, Supplier<RuleSet> inForce) {
    count(requestDecision, requestDecision.allowed(), 0, inForce);
  }

  /**
   * Counts the decisions of the rules on one descriptor.
   *
   * @param isCharged whether the rules that allow it were charged: the whole request is allowed, or
   *     each descriptor is charged by itself
   */
  void count(
      DescriptorDecision.DescriptorResult descriptorResult,
      boolean isCharged,
      Supplier<RuleSet> inForce) {
    List<RuleDecision> ruleDecisions = descriptorResult.requestDecision().ruleDecisions();
    boolean isOverride =
        descriptorResult.descriptor().limit().isPresent() && !ruleDecisions.isEmpty();
    if (isOverride) {
      RuleDecision first = ruleDecisions.get(0);
      count(current(inForce).overrides.get(first.rule().domain()), isCharged, first);
    }
    count(descriptorResult.requestDecision(), isCharged, isOverride ? 1 : 0, inForce);
  }

  private void count(
      RequestDecision requestDecision, boolean isCharged, int from, Supplier<RuleSet> inForce) {
    List<RuleDecision> ruleDecisions = requestDecision.ruleDecisions();
    for (int i = from; i < ruleDecisions.size(); i++) {
      RuleDecision ruleDecision = ruleDecisions.get(i);
      count(find(ruleDecision.rule(), inForce), isCharged, ruleDecision);
    }
    List<RuleDecision> shadows = requestDecision.shadows();
    for (int i = 0; i < shadows.size(); i++) {
      RuleDecision ruleDecision = shadows.get(i);
      RuleCounters counters = find(ruleDecision.rule(), inForce);
      if (counters != null) {
        boolean refuses = !ruleDecision.decision().allowed();
        count(counters, refuses ? RuleOutcome.SHADOW_DENIED : RuleOutcome.ALLOWED, ruleDecision);
      }
    }
  }

  /**
   * A rule that would have allowed a request that another rule refused was not charged, so it
   * counts nothing.
   */
  private void count(
      @Nullable RuleCounters counters, boolean isCharged, RuleDecision ruleDecision) {
    if (counters != null && (isCharged || !ruleDecision.decision().allowed())) {
      count(counters, RuleOutcome.of(ruleDecision.decision()), ruleDecision);
    }
  }

  private void count(RuleCounters counters, RuleOutcome ruleOutcome, RuleDecision ruleDecision) {
    OnFailure policy = ruleDecision.rule().policy().onFailure();
    counters.count(ruleOutcome, ruleDecision.decision(), policy);
    fallbacks.count(ruleOutcome, ruleDecision.decision(), policy);
    decisionListener.saw(
        counters,
        ruleDecision.key(),
        ruleDecision.limitGroup().override(),
        ruleOutcome,
        ruleDecision.decision());
  }

  private @Nullable RuleCounters find(Rule rule, Supplier<RuleSet> inForce) {
    RuleCounters known = counterIndex.byRule.get(rule);
    if (known != null) {
      return known;
    }
    CounterIndex current = current(inForce);
    RuleCounters found = current.byRule.get(rule);
    return found == null ? current.named(rule.domain(), rule.name()) : found;
  }

  private CounterIndex current(Supplier<RuleSet> inForce) {
    CounterIndex known = counterIndex;
    return known.rules == inForce.get() ? known : renew(inForce);
  }

  /**
   * Reads the rules under the lock. Rules that were read earlier may be outdated and would restore
   * an old table.
   */
  private synchronized CounterIndex renew(Supplier<RuleSet> inForce) {
    CounterIndex known = counterIndex;
    RuleSet rules = inForce.get();
    if (known.rules != rules) {
      known = new CounterIndex(rules, known);
      counterIndex = known;
    }
    return known;
  }

  void time(long nanos) {
    decisionTimings.add(nanos);
  }

  /** The counters of each rule in force, and of limits that requests carry if there are any. */
  public List<RuleCounters> rules(Supplier<RuleSet> inForce) {
    return current(inForce).all();
  }

  /** The label of a rule in force; null if it is not in force. */
  public @Nullable String label(Rule rule, Supplier<RuleSet> inForce) {
    RuleCounters found = find(rule, inForce);
    return found == null ? null : found.label();
  }

  /** The label of a rule, which may be off; null if there is no such rule. */
  public @Nullable String name(Rule rule, Supplier<RuleSet> inForce) {
    return current(inForce).metricLabels.of(rule.domain(), rule.name());
  }

  /**
   * The rules that have this label, including those that are off. Several limits of the Envoy form
   * may share a name.
   */
  public List<Rule> labelled(String label, Supplier<RuleSet> inForce) {
    CounterIndex current = current(inForce);
    RuleSet rules = current.rules;
    List<Rule> found = new ArrayList<>();
    if (rules != null && current.metricLabels.has(label)) {
      for (Domain domain : rules.domains()) {
        for (Rule rule : domain.allRules()) {
          if (label.equals(current.metricLabels.of(domain.name(), rule.name()))) {
            found.add(rule);
          }
        }
      }
    }
    return found;
  }

  /** Whether {@code label} counts the limits that requests of a domain carry. */
  public boolean isOfOverrides(String label, Supplier<RuleSet> inForce) {
    return current(inForce).overrides.values().stream()
        .anyMatch(each -> each.label().equals(label));
  }

  /** Registers a front end. Its requests are exported from now on, even at zero. */
  void open(FrontEnd frontEnd) {
    opened.add(frontEnd);
  }

  /** The counter for the requests of a front end. */
  public RequestCounters requests(FrontEnd frontEnd) {
    return Objects.requireNonNull(requests.get(frontEnd));
  }

  /** The front ends that are registered or have received requests. */
  public List<FrontEnd> frontEnds() {
    return requests.entrySet().stream()
        .filter(each -> opened.contains(each.getKey()) || each.getValue().isUsed())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** How many requests of all front ends had this outcome. */
  public long requests(RequestOutcome outcome) {
    long sum = 0;
    for (RequestCounters each : requests.values()) {
      sum += each.count(outcome);
    }
    return sum;
  }

  /** How many allowed requests of all front ends a shadow rule would have refused. */
  public long requestsShadowDenied() {
    long sum = 0;
    for (RequestCounters each : requests.values()) {
      sum += each.shadowDenied();
    }
    return sum;
  }

  /**
   * The decisions that were made without the store, one for each rule and request, as {@code
   * weir_fallback_total} counts them.
   */
  public Fallbacks fallbacks(Supplier<RuleSet> inForce) {
    return fallbacks.sum(rules(inForce));
  }

  /** How long decisions took. */
  public DecisionTimings decisionTimings() {
    return decisionTimings;
  }

  /** Maps rules to counters, for one rule set. */
  private static final class CounterIndex {
    private final @Nullable RuleSet rules;
    private final Map<String, Map<String, RuleCounters>> byName; // by domain, then by name
    // of rules that are off
    private final Map<String, Map<String, RuleCounters>> off = new HashMap<>();
    private final Map<Rule, RuleCounters> byRule = new IdentityHashMap<>();
    private final Map<String, RuleCounters> overrides = new HashMap<>();
    private final List<RuleCounters> inOrder = new ArrayList<>();
    private final List<RuleCounters> shown = Collections.unmodifiableList(inOrder);
    private final MetricLabels metricLabels;
    private int numbers; // numbers assigned so far, by this index and all earlier ones

    CounterIndex(@Nullable RuleSet rules, @Nullable CounterIndex before) {
      this.numbers = before == null ? 0 : before.numbers;
      this.rules = rules;
      this.byName = new HashMap<>();
      this.metricLabels = rules == null ? MetricLabels.NONE : MetricLabels.of(rules);
      if (rules != null) {
        rules.domains().forEach(domain -> add(domain, before));
      }
    }

    private void add(Domain domain, @Nullable CounterIndex before) {
      String domainName = domain.name();
      Map<String, RuleCounters> own = byName.computeIfAbsent(domainName, any -> new HashMap<>());
      for (Rule rule : domain.allRules()) {
        if (rule.policy().mode() != Policy.Mode.OFF) {
          String label = String.valueOf(metricLabels.of(domainName, rule.name()));
          byRule.put(
              rule,
              own.computeIfAbsent(rule.name(), name -> take(before, domainName, name, label)));
        }
      }
      for (Rule rule : domain.allRules()) {
        RuleCounters ofOff =
            own.containsKey(rule.name()) ? null : known(before, domainName, rule.name());
        if (ofOff != null) {
          off.computeIfAbsent(domainName, any -> new HashMap<>()).put(rule.name(), ofOff);
        }
      }
      if (MetricLabels.hasOverrides(domain)) {
        String label = MetricLabels.ofOverrides(domain);
        RuleCounters old = before == null ? null : before.overrides.get(domainName);
        overrides.put(domainName, show(old == null ? new RuleCounters(numbers++, label) : old));
      }
    }

    /**
     * Continues with the counter of the earlier rule of that name, even if that rule was off in
     * between.
     */
    private RuleCounters take(
        @Nullable CounterIndex before, String domain, String name, String label) {
      RuleCounters previous = before == null ? null : before.named(domain, name);
      if (previous != null) {
        return show(previous.withLabel(label));
      }
      RuleCounters ofOff = known(before, domain, name);
      return show(ofOff == null ? new RuleCounters(numbers++, label) : ofOff.resumed(label));
    }

    private static @Nullable RuleCounters known(
        @Nullable CounterIndex before, String domain, String name) {
      if (before == null) {
        return null;
      }
      RuleCounters previous = before.named(domain, name);
      return previous == null ? before.off.getOrDefault(domain, Map.of()).get(name) : previous;
    }

    private RuleCounters show(RuleCounters counters) {
      inOrder.add(counters);
      return counters;
    }

    @Nullable RuleCounters named(String domain, String name) {
      return byName.getOrDefault(domain, Map.of()).get(name);
    }

    /** Returns the same list each time, so a reader that knows the list need not check it again. */
    List<RuleCounters> all() {
      return shown;
    }
  }
}
