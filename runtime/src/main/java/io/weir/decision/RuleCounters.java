package io.weir.decision;

import io.weir.Decision;
import io.weir.LimitStatus;
import io.weir.OnFailure;
import io.weir.Origin;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The counters of one rule. Thread-safe. */
public final class RuleCounters {
  private static final int OUTCOMES = RuleOutcome.values().length;
  private static final int POLICIES = OnFailure.values().length;

  private final int number;
  private final String label;
  private final Counters counters;
  private final Counters before;

  private RuleCounters(int number, String label, Counters counters, Counters before) {
    this.number = number;
    this.label = label;
    this.counters = counters;
    this.before = before;
  }

  RuleCounters(int number, String label) {
    this(number, label, new Counters(), Counters.NONE);
  }

  /** The same counters, under another label. */
  RuleCounters withLabel(String other) {
    return other.equals(label) ? this : new RuleCounters(number, other, counters, before);
  }

  /** The same counters, of a rule that was off for a while. */
  RuleCounters resumed(String label) {
    return new RuleCounters(number, label, counters, counters.copy());
  }

  void count(RuleOutcome ruleOutcome, Decision decision, OnFailure policy) {
    counters.count(ruleOutcome, decision.cost());
    if (decision.origin() == Origin.FAILURE) {
      counters.fallback(policy).increment();
    } else {
      if (decision.origin() == Origin.LOCAL) {
        counters.fallback(OnFailure.LOCAL).increment();
      }
      if (isNear(decision)) {
        counters.nearLimit.increment();
      }
    }
  }

  /** Whether the request was allowed with less than a fifth of the limit remaining. */
  public static boolean isNear(Decision decision) {
    if (!decision.allowed() || decision.origin() == Origin.FAILURE) {
      return false;
    }
    LimitStatus limitStatus = decision.deciding();
    return limitStatus.remaining() * 5 < limitStatus.limit().capacity();
  }

  /** Identifies the rule while the process runs; numbers are never reused. */
  public int number() {
    return number;
  }

  /**
   * The rule's name, with its domain as a prefix if the plain name belongs to a rule of another
   * domain.
   */
  public String label() {
    return label;
  }

  /** How many requests had this outcome. */
  public long count(RuleOutcome ruleOutcome) {
    return counters.requests(ruleOutcome);
  }

  /** How many permits those requests cost (Envoy's hits). */
  public long hits(RuleOutcome ruleOutcome) {
    return counters.hits(ruleOutcome);
  }

  /** How many decisions {@code policy} made because the store could not be reached. */
  public long fallbacks(OnFailure policy) {
    return counters.fallbacks(policy);
  }

  /** How many decisions were made without the store. */
  long fallbacks() {
    return counters.allFallbacks();
  }

  /** How many requests were allowed with less than a fifth of the limit remaining. */
  public long nearLimit() {
    return counters.nearLimit.sum();
  }

  /**
   * The counts when the rule came into force: zero, except for a rule that was off for a while. The
   * result is a separate tally and does not change with this one.
   */
  public RuleCounters before() {
    return new RuleCounters(number, label, before, Counters.NONE);
  }

  /** The counters that change. */
  private static final class Counters {
    static final Counters NONE = new Counters(); // never incremented

    // Nearly all requests cost one permit and need one increment. Requests of another cost are
    // counted apart.
    private final LongAdder[] ones = adders(OUTCOMES);
    private volatile @Nullable Others others;
    private volatile LongAdder @Nullable [] fallbacks; // most rules never have any
    private final LongAdder nearLimit = new LongAdder();

    private static LongAdder[] adders(int n) {
      LongAdder[] adders = new LongAdder[n];
      for (int i = 0; i < n; i++) {
        adders[i] = new LongAdder();
      }
      return adders;
    }

    void count(RuleOutcome ruleOutcome, long cost) {
      if (cost == 1) {
        ones[ruleOutcome.ordinal()].increment();
      } else {
        count(ruleOutcome, 1, cost);
      }
    }

    private void count(RuleOutcome ruleOutcome, long requests, long hits) {
      Others known = others;
      Others all = known == null ? makeOthers() : known;
      all.requests[ruleOutcome.ordinal()].add(requests);
      all.hits[ruleOutcome.ordinal()].add(hits);
    }

    private synchronized Others makeOthers() {
      Others known = others;
      if (known == null) {
        known = new Others(adders(OUTCOMES), adders(OUTCOMES));
        others = known;
      }
      return known;
    }

    long requests(RuleOutcome ruleOutcome) {
      Others known = others;
      long rest = known == null ? 0 : known.requests[ruleOutcome.ordinal()].sum();
      return ones[ruleOutcome.ordinal()].sum() + rest;
    }

    long hits(RuleOutcome ruleOutcome) {
      Others known = others;
      long rest = known == null ? 0 : known.hits[ruleOutcome.ordinal()].sum();
      return ones[ruleOutcome.ordinal()].sum() + rest;
    }

    LongAdder fallback(OnFailure policy) {
      LongAdder[] known = fallbacks;
      return (known == null ? makeFallbacks() : known)[policy.ordinal()];
    }

    private synchronized LongAdder[] makeFallbacks() {
      LongAdder[] known = fallbacks;
      if (known == null) {
        known = adders(POLICIES);
        fallbacks = known;
      }
      return known;
    }

    long fallbacks(OnFailure policy) {
      LongAdder[] known = fallbacks;
      return known == null ? 0 : known[policy.ordinal()].sum();
    }

    long allFallbacks() {
      LongAdder[] known = fallbacks;
      long all = 0;
      for (int i = 0; known != null && i < known.length; i++) {
        all += known[i].sum();
      }
      return all;
    }

    Counters copy() {
      Counters copy = new Counters();
      for (RuleOutcome ruleOutcome : RuleOutcome.values()) {
        copy.count(ruleOutcome, requests(ruleOutcome), hits(ruleOutcome));
      }
      for (OnFailure policy : OnFailure.values()) {
        copy.fallback(policy).add(fallbacks(policy));
      }
      copy.nearLimit.add(nearLimit.sum());
      return copy;
    }

    /** The requests with a cost other than one, and the permits that they cost. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Others(LongAdder[] requests, LongAdder[] hits) {}
  }
}
