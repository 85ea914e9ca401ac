package io.weir.rules;

import io.weir.AsyncRateLimiter;
import io.weir.Charge;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.RateLimiter;
import io.weir.Receipts;
import io.weir.Store;
import io.weir.TimeSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
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
  private final DescriptorMode descriptors;
  private final Object reloads = new Object();
  private final Object reloading = new Object();
  private volatile State state;

  private RequestLimiter(Builder builder) {
    this.store = builder.store == null ? Store.memory() : builder.store;
    this.time = builder.time;
    this.maxKeys = builder.maxKeys;
    this.descriptors = builder.descriptors;
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
      List<Claim> claims = current.rules.claims(request);
      if (claims.size() == 1 && claims.get(0).isEnforced()) {
        Ruling ruling = checkAlone(current, claims.get(0), request);
        if (ruling != null) {
          return ruling;
        }
      } else {
        Charged charged = current.charge(claims);
        if (charged.isByTheseRules() || !haveMovedOn(current, claims)) {
          return charged.ruling();
        }
        charged.cancel();
      }
    }
  }

  /**
   * The ruling where one rule applies, as is usual: without receipts, which cost half as much again
   * as the decision. One that was made by the limits of later rules stands if those rules ask the
   * same of the request; if not, there is no ruling, and what was taken stays taken.
   */
  private @Nullable Ruling checkAlone(State current, Claim claim, Request request) {
    RateLimiter limiter = current.meters[claim.meter().number()].limiter();
    Decision decision = limiter.check(claim.key(), claim.cost());
    if (claim.meter().decides(decision) || !haveMovedOn(current, List.of(claim))) {
      return ruling(claim, decision);
    }
    for (State later = current.next(); later != null; later = later.next()) {
      List<Claim> claims = later.rules.claims(request);
      if (claims.size() == 1
          && claims.get(0).asksTheSameAs(claim)
          && claims.get(0).meter().decides(decision)) {
        return ruling(claims.get(0), decision);
      }
    }
    return null;
  }

  private static Ruling ruling(Claim claim, Decision decision) {
    return Ruling.of(List.of(new Verdict(claim.rule(), claim.key(), decision)), List.of());
  }

  /** {@link #check} for callers that must not block. */
  public CompletionStage<Ruling> checkAsync(Request request) {
    return CompletableFuture.completedStage(check(request));
  }

  /** {@link #checkAsync}, at a cost that is corrected afterwards. */
  public CompletionStage<Held> hold(Request request) {
    throw new UnsupportedOperationException("soon");
  }

  /**
   * Charges the descriptors of the Envoy form, and the rules of Weir's own form in their domain.
   */
  public CompletionStage<DescriptorRuling> checkAsync(DescriptorQuestion question) {
    throw new UnsupportedOperationException("soon: " + descriptors);
  }

  /**
   * The buckets of a rule for the caller that {@code who} describes by the attributes that the rule
   * is per: its own, and those of its variants.
   *
   * @throws io.weir.rules.match.MalformedRequestException if an attribute is missing
   */
  public List<Bucket> buckets(Rule rule, Request who) {
    throw new UnsupportedOperationException("soon");
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
    synchronized (reloads) { // whole ones, so that a change never waits for the rest of another
      List<Runnable> rest;
      synchronized (reloading) {
        State next = bind(rules, state.taps);
        rest = reconfigure(Arrays.stream(next.meters));
        state.successor.set(next);
        state = next;
      }
      rest.forEach(Runnable::run);
    }
  }

  /**
   * Waits for a reload under way. If there is none, a limiter may have been opened by a request
   * that still went by the rules before: it is given the limits in force.
   *
   * @return whether anything is different now from what a request with {@code rules} found
   */
  private boolean haveMovedOn(State rules, List<Claim> claims) {
    List<Runnable> rest;
    synchronized (reloading) {
      if (state != rules) {
        return true;
      }
      rest = reconfigure(claims.stream().map(claim -> rules.meters[claim.meter().number()]));
    }
    rest.forEach(Runnable::run);
    return !rest.isEmpty();
  }

  private static List<Runnable> reconfigure(Stream<Bound> meters) {
    List<Runnable> rest = new ArrayList<>();
    meters.forEach(
        bound -> {
          RateLimiter open = bound.tap.limiter;
          if (open != null && !bound.isInForce(open)) {
            rest.add(open.beginReconfigure(bound.meter.limits(), bound.onFailure()));
          }
        });
    return rest;
  }

  private State bind(RuleSet rules, Map<String, Tap> known) {
    Bound[] meters = new Bound[rules.meters().size()];
    Map<String, Tap> taps = new HashMap<>();
    for (Meter meter : rules.meters()) {
      String id = meter.id();
      Tap before = known.get(id);
      Tap tap = before == null ? new Tap(id) : before;
      taps.put(id, tap);
      meters[meter.number()] = new Bound(meter, tap);
    }
    return new State(rules, meters, taps, new AtomicReference<>());
  }

  /** The rules in force, and the limiter of each meter. */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares states
  private record State(
      RuleSet rules,
      Bound[] meters,
      Map<String, Tap> taps,
      AtomicReference<@Nullable State> successor) {
    @Nullable State next() {
      return successor.get();
    }

    Charged charge(List<Claim> claims) {
      List<Claim> enforced = new ArrayList<>(claims.size());
      List<Claim> shadows = List.of();
      for (Claim claim : claims) {
        if (claim.isEnforced()) {
          enforced.add(claim);
        } else {
          shadows = shadows.isEmpty() ? new ArrayList<>() : shadows;
          shadows.add(claim);
        }
      }
      Charged charged = new Charged();
      if (!enforced.isEmpty()) {
        charged.enforce(enforced, take(enforced));
      }
      if (charged.ruling().allowed()) {
        tryOut(shadows, charged);
      }
      return charged;
    }

    /**
     * Each by itself, for what it would refuse if it were the next to be enforced; but all at once,
     * since a store may be far away.
     */
    private void tryOut(List<Claim> shadows, Charged charged) {
      if (shadows.size() == 1) {
        charged.tryOut(shadows.get(0), take(shadows));
        return;
      }
      List<CompletableFuture<Receipts>> tries = new ArrayList<>(shadows.size());
      for (Claim shadow : shadows) {
        tries.add(AsyncRateLimiter.takeAll(charges(List.of(shadow))).toCompletableFuture());
      }
      for (int i = 0; i < shadows.size(); i++) {
        charged.tryOut(shadows.get(i), tries.get(i).join());
      }
    }

    private Receipts take(List<Claim> claims) {
      return RateLimiter.takeAll(charges(claims));
    }

    private List<Charge> charges(List<Claim> claims) {
      List<Charge> charges = new ArrayList<>(claims.size());
      for (Claim claim : claims) {
        RateLimiter limiter = meters[claim.meter().number()].limiter();
        charges.add(new Charge(limiter, claim.key(), claim.cost()));
      }
      return charges;
    }
  }

  /** A meter and where its limiter is. */
  private record Bound(Meter meter, Tap tap) {
    RateLimiter limiter() {
      RateLimiter open = tap.limiter;
      return open == null ? tap.open(meter.limits(), onFailure()) : open;
    }

    OnFailure onFailure() {
      return meter.rule().policy().onFailure();
    }

    boolean isInForce(RateLimiter open) {
      return open.limits().equals(meter.limits()) && open.onFailure() == onFailure();
    }
  }

  /** The limiter of a meter's identity, opened when it is first needed. */
  private final class Tap {
    private final String id;
    private volatile @Nullable RateLimiter limiter;

    Tap(String id) {
      this.id = id;
    }

    synchronized RateLimiter open(List<Limit> limits, OnFailure onFailure) {
      RateLimiter open = limiter;
      if (open == null) {
        RateLimiter.Builder builder = RateLimiter.builder().name(id).onFailure(onFailure);
        builder.store(store).time(time).maxKeys(maxKeys);
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
