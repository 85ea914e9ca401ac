package io.weir.rules.envoy;

import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.rules.LimitGroup;
import io.weir.rules.Rule;
import io.weir.rules.engine.KeyJoiner;
import io.weir.rules.engine.LazyLimiter;
import io.weir.rules.engine.LimiterFactory;
import io.weir.rules.engine.LimiterHandle;
import io.weir.rules.match.MalformedRequestException;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The limiters of limits that requests carry: a table of bounded size, fairly shared. Thread-safe.
 */
public final class OverrideLimiters {
  /*
   * As in envoyproxy/ratelimit, a counter belongs to the entries of a descriptor and a window, not
   * to the size of a limit. 5 a minute and 10 a minute for the same caller share a counter. So does
   * the configured limit of that descriptor if its window has the same length. So a limiter here is
   * a view of a counter: that of the tree's limiter, or one that all such limits of the same keys
   * and window share.
   *
   * Callers can invent any number of sizes, and each needs a view. A full table first drops views
   * with empty counters, and views unused for longer than their window. If there are none, the kind
   * with the most views drops its least recently used one. A kind is the descriptor keys that a
   * proxy is configured to send. A counter is dropped with its last view. So a kind that is flooded
   * with sizes keeps its counts, and other kinds are not affected. A new kind is refused only if
   * there are as many kinds as places, each with one limit.
   *
   * A view that was just requested may be about to be charged, so it is kept for a while.
   */

  /** The maximum number of limits from requests that are kept apart. */
  static final int MAX_LIMITS = 1000;

  private static final long MIN_UNUSED_NANOS = Duration.ofSeconds(10).toNanos();

  /** The minimum time between searches for unused views: each search visits all of them. */
  private static final long SWEEP_NANOS = Duration.ofMillis(100).toNanos();

  private final ConcurrentMap<String, View> table = new ConcurrentHashMap<>();
  private final Map<String, Integer> kinds = new HashMap<>(); // the number of views of each
  // counters that no configured limit has
  private final Map<String, Counter> counters = new HashMap<>();
  private long lastSweep;
  private boolean hasSwept;
  private final LimiterFactory limiterFactory;

  public OverrideLimiters(LimiterFactory limiterFactory) {
    this.limiterFactory = limiterFactory;
  }

  /**
   * Binds a limit that a request carries.
   *
   * @param configured the limit with the same counter; empty if the counter belongs only to limits
   *     from requests with these keys and this window
   * @throws MalformedRequestException if there are too many of them
   */
  LimiterHandle of(DescriptorLimit limit, Optional<LimiterHandle> configured) {
    Rule rule = limit.rule();
    LimitGroup limitGroup = LimitGroup.of(rule);
    List<Limit> limits =
        limiterFactory.countsRefused() ? EnvoyCounting.of(limitGroup) : limitGroup.limits();
    if (configured.isPresent() && configured.get().limits().equals(limits)) {
      return new LimiterHandle(limitGroup, limits, configured.get().lazyLimiter());
    }
    String window = EnvoyCounting.of(limitGroup).get(0).toString();
    String kind = KeyJoiner.of(List.of(rule.domain(), KeyJoiner.of(rule.per())));
    KeyJoiner id = new KeyJoiner().add(kind).add(window).add(limits.get(0).toString());
    configured.ifPresent(limiterHandle -> id.add(limiterHandle.limitGroup().id()));
    return new LimiterHandle(
        limitGroup, limits, limiter(id.toString(), kind, window, rule, configured));
  }

  private LazyLimiter limiter(
      String id, String kind, String window, Rule rule, Optional<LimiterHandle> configured) {
    long now = limiterFactory.time().epochNanos();
    View view = table.get(id);
    if (view != null
        && view.configured != configured.map(LimiterHandle::lazyLimiter).orElse(null)) {
      forget(id, view); // the rules have changed, and the counter with them
      view = null;
    }
    if (view == null) {
      view = add(id, kind, window, rule, configured, now);
    }
    view.lastUse = now;
    return view.lazyLimiter;
  }

  private synchronized void forget(String id, View view) {
    remove(id, view);
  }

  private synchronized View add(
      String id,
      String kind,
      String window,
      Rule rule,
      Optional<LimiterHandle> configured,
      long now) {
    View present = table.get(id);
    if (present != null) {
      return present;
    }
    if (table.size() >= MAX_LIMITS) {
      sweep(now);
    }
    View added =
        newView(kind, window, rule, configured, now); // before its counter can be forgotten
    if (table.size() >= MAX_LIMITS && !makeRoom(kind)) {
      release(added);
      throw new MalformedRequestException(
          "too many different limit overrides: "
              + (MAX_LIMITS + " are in use; use fewer, or put the limits into the rules"));
    }
    table.put(id, added);
    kinds.merge(kind, 1, Integer::sum);
    return added;
  }

  private View newView(
      String kind, String window, Rule rule, Optional<LimiterHandle> configured, long now) {
    if (configured.isPresent()) {
      return new View(
          kind,
          "",
          new LazyLimiter(configured.get(), limiterFactory),
          configured.get().lazyLimiter(),
          now);
    }
    // No rule has an empty name, so no limit group has such an id.
    KeyJoiner name =
        new KeyJoiner().add(rule.domain()).add("").add(window).add(KeyJoiner.of(rule.per()));
    Counter counter =
        counters.computeIfAbsent(
            name.toString(), each -> new Counter(new LazyLimiter(each, limiterFactory), rule));
    counter.users++;
    return new View(
        kind, name.toString(), new LazyLimiter(counter.limiterHandle(), limiterFactory), null, now);
  }

  private void sweep(long now) {
    if (hasSwept && now >= lastSweep && now - lastSweep < SWEEP_NANOS) {
      return;
    }
    hasSwept = true;
    lastSweep = now;
    table.forEach(
        (id, view) -> {
          if (view.isRemovable(now)) {
            remove(id, view);
          }
        });
  }

  private boolean makeRoom(String kind) {
    Map.Entry<String, Integer> largest =
        Collections.max(kinds.entrySet(), Map.Entry.comparingByValue());
    int own = kinds.getOrDefault(kind, 0);
    if (own == 0 && largest.getValue() == 1) {
      return false;
    }
    String crowded = largest.getValue() > own ? largest.getKey() : kind;
    table.entrySet().stream()
        .filter(each -> each.getValue().kind.equals(crowded))
        .min(Comparator.comparingLong(each -> each.getValue().lastUse))
        .ifPresent(oldest -> remove(oldest.getKey(), oldest.getValue()));
    return true;
  }

  private void remove(String id, View view) {
    if (table.remove(id, view)) {
      kinds.computeIfPresent(view.kind, (kind, count) -> count == 1 ? null : count - 1);
      release(view);
    }
  }

  private void release(View view) {
    counters.computeIfPresent(
        view.counter, (name, counter) -> --counter.users == 0 ? null : counter);
  }

  /** The counter of all limits from requests with the same window and keys. */
  private static final class Counter {
    private final LazyLimiter lazyLimiter;
    private final Rule first;
    private int users;

    Counter(LazyLimiter lazyLimiter, Rule first) {
      this.lazyLimiter = lazyLimiter;
      this.first = first;
    }

    LimiterHandle limiterHandle() {
      return new LimiterHandle(LimitGroup.of(first), first.limits(), lazyLimiter);
    }
  }

  private static final class View {
    private final String kind;
    private final String counter;
    private final LazyLimiter lazyLimiter;
    private final @Nullable LazyLimiter configured;
    private volatile long lastUse;

    View(
        String kind,
        String counter,
        LazyLimiter lazyLimiter,
        @Nullable LazyLimiter configured,
        long now) {
      this.kind = kind;
      this.counter = counter;
      this.lazyLimiter = lazyLimiter;
      this.configured = configured;
      this.lastUse = now;
    }

    boolean isRemovable(long now) {
      RateLimiter open = lazyLimiter.limiter();
      long unused = now - lastUse - MIN_UNUSED_NANOS;
      return unused >= 0 && (open == null || open.keys() == 0 || unused >= period(open).toNanos());
    }

    private static Duration period(RateLimiter limiter) {
      return limiter.limits().get(0) instanceof Limit.FixedWindow window
              && window.span() instanceof Limit.Length length
          ? length.period()
          : Limit.MAX_PERIOD;
    }
  }
}
