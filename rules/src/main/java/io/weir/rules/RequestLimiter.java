package io.weir.rules;

import io.weir.Charge;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.Receipts;
import io.weir.Standing;
import io.weir.Store;
import io.weir.TimeSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
  /*
   * The rules in force are one immutable object, read once for each request. Limiters belong to a
   * meter's identity and outlive rule sets; a changed limit is a limiter reconfigured in place. So
   * while rules are being replaced, a request may find that a limiter already has the limits of the
   * next rule set. The decision tells: it names the limits that it was made by. Such a request gives
   * back what it took and starts again with the rules that are in force by then.
   *
   * That keeps the way of a request free of locks. It costs a comparison of references, and a
   * repetition for the few requests that are under way at the very moment of a reload.
   */

  private final Store store;
  private final TimeSource time;
  private final long maxKeys;
  private final Object reloading = new Object();
  private volatile State state;

  private RequestLimiter(Builder builder) {
    this.store = builder.store == null ? Store.memory() : builder.store;
    this.time = builder.time;
    this.maxKeys = builder.maxKeys;
    this.state = bind(builder.rules, Map.of());
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
    while (true) {
      State current = state;
      Ruling ruling = current.check(current.rules.claims(request));
      if (ruling != null) {
        return ruling;
      }
      catchUp();
    }
  }

  /** The rules in force. */
  public RuleSet rules() {
    return state.rules;
  }

  /**
   * Replaces the rules. A rule is its domain, its name, its {@code per} and, for overrides, their
   * name or match: where those stay the same, a limit of the same algorithm and period keeps what
   * was spent. A rule that is gone frees its memory. Requests go on meanwhile.
   */
  public void reload(RuleSet rules) {
    List<Runnable> rest = new ArrayList<>();
    synchronized (reloading) {
      State next = bind(rules, state.bound);
      for (Bound bound : next.meters) {
        RateLimiter open = bound.tap.limiter;
        if (open != null && !open.limits().equals(bound.meter.limits())) {
          rest.add(open.beginReconfigure(bound.meter.limits()));
        }
      }
      state = next;
    }
    rest.forEach(Runnable::run);
  }

  /** Waits for a reload under way, and makes sure that all limiters have the limits in force. */
  private void catchUp() {
    synchronized (reloading) {
      for (Bound bound : state.meters) {
        RateLimiter open = bound.tap.limiter;
        if (open != null && !open.limits().equals(bound.meter.limits())) {
          open.beginReconfigure(bound.meter.limits()).run();
        }
      }
    }
  }

  private State bind(RuleSet rules, Map<String, Tap> known) {
    Bound[] meters = new Bound[rules.meters().size()];
    Map<String, Tap> bound = new HashMap<>();
    for (Meter meter : rules.meters()) {
      String id = meter.id();
      Tap tap = known.get(id);
      tap = tap == null ? new Tap(id) : tap;
      bound.put(id, tap);
      meters[meter.number()] = new Bound(meter, tap);
    }
    return new State(rules, meters, bound);
  }

  /** The rules in force, and the limiter of each meter. */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares states
  private record State(RuleSet rules, Bound[] meters, Map<String, Tap> bound) {
    /** The ruling; null if the limiters have other limits by now. */
    @Nullable Ruling check(List<Claim> claims) {
      List<Charge> charges = new ArrayList<>(claims.size());
      List<Claim> enforced = new ArrayList<>(claims.size());
      List<Claim> shadows = List.of();
      for (Claim claim : claims) {
        if (claim.rule().policy().mode() == Policy.Mode.ENFORCE) {
          enforced.add(claim);
          charges.add(charge(claim));
        } else {
          shadows = shadows.isEmpty() ? new ArrayList<>() : shadows;
          shadows.add(claim);
        }
      }
      List<Verdict> verdicts = List.of();
      if (!charges.isEmpty()) {
        List<Verdict> taken = take(enforced, charges);
        if (taken == null) {
          return null;
        }
        verdicts = taken;
      }
      Ruling ruling = Ruling.of(verdicts, List.of());
      return shadows.isEmpty() || !ruling.allowed() ? ruling : Ruling.of(verdicts, tryOut(shadows));
    }

    private @Nullable List<Verdict> take(List<Claim> claims, List<Charge> charges) {
      Receipts receipts = RateLimiter.takeAll(charges);
      List<Decision> decisions = receipts.decisions();
      List<Verdict> verdicts = new ArrayList<>(claims.size());
      for (int i = 0; i < claims.size(); i++) {
        if (!isBy(claims.get(i).meter().limits(), decisions.get(i))) {
          receipts.cancel();
          return null;
        }
        verdicts.add(new Verdict(claims.get(i).rule(), claims.get(i).key(), decisions.get(i)));
      }
      return verdicts;
    }

    /** Each by itself: what it would refuse if it were the next to be enforced. */
    private List<Verdict> tryOut(List<Claim> shadows) {
      List<Verdict> verdicts = new ArrayList<>(shadows.size());
      for (Claim claim : shadows) {
        Decision decision = charge(claim).limiter().check(claim.key(), claim.cost());
        verdicts.add(new Verdict(claim.rule(), claim.key(), decision));
      }
      return verdicts;
    }

    private Charge charge(Claim claim) {
      Bound bound = meters[claim.meter().number()];
      return new Charge(bound.limiter(), claim.key(), claim.cost());
    }

    @SuppressWarnings("ReferenceEquality") // nearly always the same object, and then at once
    private static boolean isBy(List<Limit> limits, Decision decision) {
      List<Standing> standings = decision.standings();
      for (int i = 0; i < limits.size(); i++) {
        Limit mine = limits.get(i);
        if (i >= standings.size()
            || (mine != standings.get(i).limit() && !mine.equals(standings.get(i).limit()))) {
          return false;
        }
      }
      return limits.size() == standings.size();
    }
  }

  /** A meter and where its limiter is. */
  private record Bound(Meter meter, Tap tap) {
    RateLimiter limiter() {
      RateLimiter open = tap.limiter;
      return open == null ? tap.open(meter.limits()) : open;
    }
  }

  /** The limiter of a meter's identity, opened when it is first needed. */
  private final class Tap {
    private final String id;
    private volatile @Nullable RateLimiter limiter;

    Tap(String id) {
      this.id = id;
    }

    synchronized RateLimiter open(List<Limit> limits) {
      RateLimiter open = limiter;
      if (open == null) {
        RateLimiter.Builder builder =
            RateLimiter.builder().name(id).store(store).time(time).maxKeys(maxKeys);
        limits.forEach(builder::limit);
        open = builder.build();
        limiter = open;
      }
      return open;
    }
  }

  /** The settings of a limiter. */
  public static final class Builder {
    private final RuleSet rules;
    private @Nullable Store store;
    private TimeSource time = TimeSource.system();
    private long maxKeys = RateLimiter.DEFAULT_MAX_KEYS;

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

    /** The limiter. */
    public RequestLimiter build() {
      return new RequestLimiter(this);
    }
  }
}
