package io.weir.rules;

import io.weir.RateLimiter;
import io.weir.Store;
import io.weir.TimeSource;
import io.weir.rules.match.MalformedRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Answers <i>may this request go now?</i> by rules, which may be replaced at any time.
 *
 * <pre>{@code
 * RequestLimiter limiter = RequestLimiter.builder(rules).build();
 * Ruling ruling = limiter.check(request);
 * }</pre>
 *
 * <p>A request is judged by one rule set from beginning to end. What was spent outlives a {@link
 * #reload}: see there.
 */
public final class RequestLimiter {
  private final Rulebook rulebook;
  private final Decider decider;
  private final DescriptorBills descriptors;
  private final DescriptorMode mode;

  private RequestLimiter(Builder builder) {
    Store store = builder.store == null ? Store.memory() : builder.store;
    this.mode = builder.descriptors;
    Taps taps = new Taps(store, builder.time, builder.maxKeys, mode.countsRefused());
    this.rulebook = new Rulebook(builder.rules, taps);
    this.decider = new Decider(rulebook);
    this.descriptors = new DescriptorBills(mode, new Overrides(taps));
  }

  /** A limiter by {@code rules}. */
  public static Builder builder(RuleSet rules) {
    return new Builder(rules);
  }

  /**
   * Charges a request to all rules that apply to it, or to none if an enforced one refuses.
   *
   * @throws io.weir.rules.match.MalformedRequestException if the request cannot be judged
   */
  public Ruling check(Request request) {
    return decider.now(rules -> RequestBill.of(request, rules));
  }

  /**
   * {@link #check} for callers that must not block. The stage is complete when it is returned if no
   * store elsewhere has to be asked; others complete on a thread of the store, which must not be
   * kept waiting: see {@link io.weir.AsyncRateLimiter}.
   */
  public CompletionStage<Ruling> checkAsync(Request request) {
    return decider.later(rules -> RequestBill.of(request, rules));
  }

  /** {@link #checkAsync}, at a cost that is corrected afterwards. */
  public CompletionStage<Held> hold(Request request) {
    return decider
        .<Ruling>charge(rules -> RequestBill.of(request, rules))
        .thenApply(HeldCharge::new);
  }

  /**
   * Charges the descriptors of the Envoy form, and the rules of Weir's own form in their domain:
   * all that the question asks for, or nothing if it is refused. Each answer tells how its
   * descriptor stands; it says refused only where its own limits refuse.
   *
   * <ul>
   *   <li>A descriptor without hits of its own asks for those of the question, where 0 means 1.
   *       With 0 of its own it only looks: it is refused, and refuses the whole, if no permit is
   *       left, but spends nothing. A negative one gives back, if the whole is not refused.
   *   <li>Limits in quota mode refuse only if all of them do; those that have it are charged.
   *   <li>What is only tried is charged if the question is granted, and has no verdict if not.
   * </ul>
   *
   * {@link DescriptorMode} says what is different in other modes.
   *
   * @throws io.weir.rules.match.MalformedRequestException if the question cannot be judged
   */
  public CompletionStage<DescriptorRuling> checkAsync(DescriptorQuestion question) {
    return decider.later(rules -> descriptors.bill(question, rules));
  }

  /** How descriptors are answered. */
  public DescriptorMode descriptorMode() {
    return mode;
  }

  /**
   * The buckets of a rule for the caller that {@code who} describes by the attributes that the rule
   * is per: its own, and those of its variants.
   *
   * @throws io.weir.rules.match.MalformedRequestException if an attribute is missing, or if there
   *     is no such rule in force
   */
  public List<Bucket> buckets(Rule rule, Request who) {
    InForce rules = rulebook.inForce();
    CompiledDomain domain = rules.rules().domain(rule.domain());
    String key = domain == null ? null : domain.keyOf(rule, who);
    if (key == null) {
      throw new MalformedRequestException("rule '" + rule.name() + "' is not in force");
    }
    return buckets(rule, key, rules);
  }

  /**
   * {@link #buckets(Rule, Request)} for a caller whose key is known: see {@link Verdict}. None if
   * the rule is not in force.
   */
  public List<Bucket> buckets(Rule rule, String key) {
    return buckets(rule, key, rulebook.inForce());
  }

  /**
   * Those limits of a rule that hold for the caller that {@code who} describes: the rule's own, or
   * an override's. Empty where that depends on attributes that {@code who} does not give.
   */
  public Optional<Meter> applying(Rule rule, Request who) {
    if (rule.variants().isEmpty()) {
      return rule.limits().isEmpty() ? Optional.empty() : Optional.of(Meter.of(rule));
    }
    CompiledDomain domain = rulebook.inForce().rules().domain(rule.domain());
    return domain == null ? Optional.empty() : domain.applying(rule, who);
  }

  /** {@link #applying(Rule, Request)} for a caller whose key is known: see {@link Verdict}. */
  public Optional<Meter> applying(Rule rule, String key) {
    List<String> values = Keys.split(key);
    return applying(
        rule,
        name -> {
          int at = rule.per().indexOf(name);
          return at < 0 || at >= values.size() ? null : values.get(at);
        });
  }

  private static List<Bucket> buckets(Rule rule, String key, InForce rules) {
    List<Bucket> buckets = new ArrayList<>();
    for (Meter meter : rules.rules().meters()) {
      Rule of = meter.rule();
      if (of.id().equals(rule.id()) && of.domain().equals(rule.domain())) {
        buckets.add(new LiveBucket(rules.of(meter), key));
      }
    }
    return buckets;
  }

  /** What the limits in force take up in this process, as far as anybody was limited by them. */
  public List<Usage> usage() {
    List<Usage> all = new ArrayList<>();
    for (Bound bound : rulebook.inForce().meters()) {
      RateLimiter open = bound.tap().limiter();
      if (open != null) {
        all.add(new Usage(bound.meter(), open.keys(), open.overflowed()));
      }
    }
    return all;
  }

  /**
   * What the limits of a rule, or of one of its variants, take up in this process; nothing where
   * the store is elsewhere.
   *
   * @param keys how many keys are kept apart now, about
   * @param overflowed how many checks were decided by the overflow bucket so far
   */
  public record Usage(Meter meter, long keys, long overflowed) {}

  /** The rules in force. */
  public RuleSet rules() {
    return rulebook.inForce().rules();
  }

  /**
   * Replaces the rules. A rule is its domain, its name, its {@code per} and, for overrides, their
   * name or match: where those stay the same, a limit of the same algorithm and period keeps what
   * was spent. A rule that is gone frees its memory. Requests go on meanwhile.
   */
  public void reload(RuleSet rules) {
    rulebook.reload(rules);
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

    /** Where buckets are kept; in memory unless set. */
    public Builder store(Store store) {
      this.store = Objects.requireNonNull(store, "store");
      return this;
    }

    /** The clock of a store in this process; the system's unless set. */
    public Builder time(TimeSource time) {
      this.time = Objects.requireNonNull(time, "time");
      return this;
    }

    /** The most keys with something spent that each rule keeps apart in this process. */
    public Builder maxKeys(long maxKeys) {
      this.maxKeys = maxKeys;
      return this;
    }

    /** How questions of the Envoy form are answered. */
    public Builder descriptors(DescriptorMode mode) {
      this.descriptors = Objects.requireNonNull(mode, "mode");
      return this;
    }

    /** The limiter. */
    public RequestLimiter build() {
      return new RequestLimiter(this);
    }
  }
}
