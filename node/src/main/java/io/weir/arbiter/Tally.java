package io.weir.arbiter;

import io.weir.Fallbacks;
import io.weir.OnFailure;
import io.weir.rules.DescriptorRuling;
import io.weir.rules.Domain;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.rules.Ruling;
import io.weir.rules.Verdict;
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
 * the rule keeps its name, also while the rule is off. See {@link Labels} for the labels.
 */
public final class Tally {
  /*
   * A rule is found by identity: the objects of the rules in force are nearly always the same, and
   * comparing whole rules would cost more than the decision. A rule that is not found has one of
   * three causes. The rules were replaced: the table is rebuilt. The request was in progress during
   * the replacement: its rule is found by name. The rule was removed, and so was its counter.
   */
  private volatile Book book = new Book(null, null);
  private final Witness witness;
  private final Map<FrontEnd, RequestTally> requests = new EnumMap<>(FrontEnd.class);
  private final Set<FrontEnd> opened = ConcurrentHashMap.newKeySet();
  private final Timings timings = new Timings();
  private final FallbackTally fallbacks = new FallbackTally();

  /** Only counts, without a witness. */
  public Tally() {
    this(Witness.NOBODY);
  }

  /**
   * @param witness sees each decision that is counted
   */
  public Tally(Witness witness) {
    this.witness = witness;
    for (FrontEnd each : FrontEnd.values()) {
      requests.put(each, new RequestTally());
    }
  }

  /**
   * Counts the decisions of the rules on one request.
   *
   * @param inForce the rules in force now
   */
  void count(Ruling ruling, Supplier<RuleSet> inForce) {
    count(ruling, ruling.allowed(), 0, inForce);
  }

  /**
   * Counts the decisions of the rules on one descriptor.
   *
   * @param went whether the rules that allow it were charged: the whole request is allowed, or each
   *     descriptor is charged by itself
   */
  void count(DescriptorRuling.Answer answer, boolean went, Supplier<RuleSet> inForce) {
    List<Verdict> verdicts = answer.ruling().verdicts();
    boolean isOverride = answer.descriptor().limit().isPresent() && !verdicts.isEmpty();
    if (isOverride) {
      Verdict first = verdicts.get(0);
      count(current(inForce).overrides.get(first.rule().domain()), went, first);
    }
    count(answer.ruling(), went, isOverride ? 1 : 0, inForce);
  }

  private void count(Ruling ruling, boolean went, int from, Supplier<RuleSet> inForce) {
    List<Verdict> verdicts = ruling.verdicts();
    for (int i = from; i < verdicts.size(); i++) {
      Verdict verdict = verdicts.get(i);
      count(find(verdict.rule(), inForce), went, verdict);
    }
    List<Verdict> shadows = ruling.shadows();
    for (int i = 0; i < shadows.size(); i++) {
      Verdict verdict = shadows.get(i);
      RuleTally tally = find(verdict.rule(), inForce);
      if (tally != null) {
        boolean refuses = !verdict.decision().allowed();
        count(tally, refuses ? Outcome.SHADOW_DENIED : Outcome.ALLOWED, verdict);
      }
    }
  }

  /**
   * A rule that would have allowed a request that another rule refused was not charged, so it
   * counts nothing.
   */
  private void count(@Nullable RuleTally tally, boolean went, Verdict verdict) {
    if (tally != null && (went || !verdict.decision().allowed())) {
      count(tally, Outcome.of(verdict.decision()), verdict);
    }
  }

  private void count(RuleTally tally, Outcome outcome, Verdict verdict) {
    OnFailure policy = verdict.rule().policy().onFailure();
    tally.count(outcome, verdict.decision(), policy);
    fallbacks.count(outcome, verdict.decision(), policy);
    witness.saw(tally, verdict.key(), verdict.meter().override(), outcome, verdict.decision());
  }

  private @Nullable RuleTally find(Rule rule, Supplier<RuleSet> inForce) {
    RuleTally known = book.byRule.get(rule);
    if (known != null) {
      return known;
    }
    Book current = current(inForce);
    RuleTally found = current.byRule.get(rule);
    return found == null ? current.named(rule.domain(), rule.name()) : found;
  }

  private Book current(Supplier<RuleSet> inForce) {
    Book known = book;
    return known.rules == inForce.get() ? known : renew(inForce);
  }

  /**
   * Reads the rules under the lock. Rules that were read earlier may be outdated and would restore
   * an old table.
   */
  private synchronized Book renew(Supplier<RuleSet> inForce) {
    Book known = book;
    RuleSet rules = inForce.get();
    if (known.rules != rules) {
      known = new Book(rules, known);
      book = known;
    }
    return known;
  }

  void time(long nanos) {
    timings.add(nanos);
  }

  /** The counters of each rule in force, and of limits that requests carry if there are any. */
  public List<RuleTally> rules(Supplier<RuleSet> inForce) {
    return current(inForce).all();
  }

  /** The label of a rule in force; null if it is not in force. */
  public @Nullable String label(Rule rule, Supplier<RuleSet> inForce) {
    RuleTally found = find(rule, inForce);
    return found == null ? null : found.label();
  }

  /** The label of a rule, which may be off; null if there is no such rule. */
  public @Nullable String name(Rule rule, Supplier<RuleSet> inForce) {
    return current(inForce).labels.of(rule.domain(), rule.name());
  }

  /**
   * The rules that have this label, including those that are off. Several limits of the Envoy form
   * may share a name.
   */
  public List<Rule> labelled(String label, Supplier<RuleSet> inForce) {
    Book current = current(inForce);
    RuleSet rules = current.rules;
    List<Rule> found = new ArrayList<>();
    if (rules != null && current.labels.has(label)) {
      for (Domain domain : rules.domains()) {
        for (Rule rule : domain.allRules()) {
          if (label.equals(current.labels.of(domain.name(), rule.name()))) {
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
  public RequestTally requests(FrontEnd frontEnd) {
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
    for (RequestTally each : requests.values()) {
      sum += each.count(outcome);
    }
    return sum;
  }

  /** How many allowed requests of all front ends a shadow rule would have refused. */
  public long requestsShadowDenied() {
    long sum = 0;
    for (RequestTally each : requests.values()) {
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
  public Timings timings() {
    return timings;
  }

  /** Maps rules to counters, for one rule set. */
  private static final class Book {
    private final @Nullable RuleSet rules;
    private final Map<String, Map<String, RuleTally>> byName; // by domain, then by name
    // of rules that are off
    private final Map<String, Map<String, RuleTally>> resting = new HashMap<>();
    private final Map<Rule, RuleTally> byRule = new IdentityHashMap<>();
    private final Map<String, RuleTally> overrides = new HashMap<>();
    private final List<RuleTally> inOrder = new ArrayList<>();
    private final List<RuleTally> shown = Collections.unmodifiableList(inOrder);
    private final Labels labels;
    private int numbers; // numbers assigned so far, by this book and all earlier ones

    Book(@Nullable RuleSet rules, @Nullable Book before) {
      this.numbers = before == null ? 0 : before.numbers;
      this.rules = rules;
      this.byName = new HashMap<>();
      this.labels = rules == null ? Labels.NONE : Labels.of(rules);
      if (rules != null) {
        rules.domains().forEach(domain -> add(domain, before));
      }
    }

    private void add(Domain domain, @Nullable Book before) {
      String home = domain.name();
      Map<String, RuleTally> own = byName.computeIfAbsent(home, any -> new HashMap<>());
      for (Rule rule : domain.allRules()) {
        if (rule.policy().mode() != Policy.Mode.OFF) {
          String label = String.valueOf(labels.of(home, rule.name()));
          byRule.put(
              rule, own.computeIfAbsent(rule.name(), name -> take(before, home, name, label)));
        }
      }
      for (Rule rule : domain.allRules()) {
        RuleTally rests = own.containsKey(rule.name()) ? null : known(before, home, rule.name());
        if (rests != null) {
          resting.computeIfAbsent(home, any -> new HashMap<>()).put(rule.name(), rests);
        }
      }
      if (Labels.hasOverrides(domain)) {
        String label = Labels.ofOverrides(domain);
        RuleTally old = before == null ? null : before.overrides.get(home);
        overrides.put(home, show(old == null ? new RuleTally(numbers++, label) : old));
      }
    }

    /**
     * Continues with the counter of the earlier rule of that name, even if that rule was off in
     * between.
     */
    private RuleTally take(@Nullable Book before, String domain, String name, String label) {
      RuleTally was = before == null ? null : before.named(domain, name);
      if (was != null) {
        return show(was.called(label));
      }
      RuleTally rested = known(before, domain, name);
      return show(rested == null ? new RuleTally(numbers++, label) : rested.back(label));
    }

    private static @Nullable RuleTally known(@Nullable Book before, String domain, String name) {
      if (before == null) {
        return null;
      }
      RuleTally was = before.named(domain, name);
      return was == null ? before.resting.getOrDefault(domain, Map.of()).get(name) : was;
    }

    private RuleTally show(RuleTally tally) {
      inOrder.add(tally);
      return tally;
    }

    @Nullable RuleTally named(String domain, String name) {
      return byName.getOrDefault(domain, Map.of()).get(name);
    }

    /** Returns the same list each time, so a reader that knows the list need not check it again. */
    List<RuleTally> all() {
      return shown;
    }
  }
}
