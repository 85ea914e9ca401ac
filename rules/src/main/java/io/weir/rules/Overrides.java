package io.weir.rules;

import io.weir.Limit;
import io.weir.RateLimiter;
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

/** The limiters of limits that callers bring along: a table of bounded size, fairly shared. */
final class Overrides {
  /*
   * Callers can make up as many limits as they like, and each needs a limiter. When the table is
   * full, those go that have nothing to remember: no key has spent anything, or nobody has asked for
   * longer than a window lasts. A store elsewhere remembers by itself, and has no keys here.
   *
   * If all have something to remember, one is forgotten. To be forgotten is to be as good as new, so
   * what matters is who can bring that about, and for whom. What a proxy is configured to ask, the
   * keys of a descriptor, is a kind; the limits may come from its clients. The kind that has the most
   * limits gives up the one that nobody has asked for the longest. So whoever makes up limits loses
   * those of the same kind, and gains nothing: they could have made up one more limit, which is as
   * good as new too. A kind with few limits, a login say, is not touched by another that is flooded;
   * to refuse new limits instead would let a thousand limits of a year keep all others out for a
   * year. Only if there are as many kinds as places, each with one limit, is a new kind refused.
   *
   * Who has just asked may be about to charge. A limit without anything to remember is kept for a
   * while after; of one that is forgotten while it is full, such a charge is forgotten too.
   */

  /** The most limits of callers that are kept apart. */
  static final int MOST = 1000;

  private static final long WHILE_NANOS = Duration.ofSeconds(10).toNanos();

  /** How often those are looked for that have nothing to remember: each look is at all of them. */
  private static final long SWEEP_NANOS = Duration.ofMillis(100).toNanos();

  private final ConcurrentMap<String, Kept> table = new ConcurrentHashMap<>();
  private final Map<String, Integer> kinds = new HashMap<>(); // how many of each
  private long lastSweep;
  private boolean hasSwept;
  private final Taps taps;

  Overrides(Taps taps) {
    this.taps = taps;
  }

  /**
   * Where the limit that a caller brought along is charged.
   *
   * @throws MalformedRequestException if there are too many of them
   */
  Bound of(DescriptorLimit limit) {
    Rule rule = limit.rule();
    Meter meter = new Meter(-1, rule, Optional.empty(), rule.limits());
    List<Limit> limits = taps.countsRefused() ? Counting.of(meter) : meter.limits();
    // No rule has an empty name, so no meter has an id that goes on like this.
    Keys id = new Keys().add(rule.domain()).add("");
    id.add(limits.get(0).toString()).add(Keys.of(rule.per()));
    return new Bound(meter, limits, tap(id.toString(), rule));
  }

  private Tap tap(String id, Rule rule) {
    long now = taps.time().epochNanos();
    Kept kept = table.get(id);
    if (kept == null) {
      kept = add(id, Keys.of(List.of(rule.domain(), Keys.of(rule.per()))), now);
    }
    kept.lastUse = now;
    return kept.tap;
  }

  private synchronized Kept add(String id, String kind, long now) {
    Kept present = table.get(id);
    if (present != null) {
      return present;
    }
    if (table.size() >= MOST) {
      sweep(now);
    }
    if (table.size() >= MOST) {
      makeRoom(kind);
    }
    Kept added = new Kept(kind, new Tap(id, taps), now);
    table.put(id, added);
    kinds.merge(kind, 1, Integer::sum);
    return added;
  }

  private void sweep(long now) {
    if (hasSwept && now >= lastSweep && now - lastSweep < SWEEP_NANOS) {
      return;
    }
    hasSwept = true;
    lastSweep = now;
    table.forEach(
        (id, kept) -> {
          if (kept.hasNothingToRemember(now)) {
            remove(id, kept);
          }
        });
  }

  private void makeRoom(String kind) {
    Map.Entry<String, Integer> largest =
        Collections.max(kinds.entrySet(), Map.Entry.comparingByValue());
    int own = kinds.getOrDefault(kind, 0);
    if (own == 0 && largest.getValue() == 1) {
      throw new MalformedRequestException(
          "too many different limit overrides: "
              + (MOST + " are in use; use fewer, or put the limits into the rules"));
    }
    String payer = largest.getValue() > own ? largest.getKey() : kind;
    table.entrySet().stream()
        .filter(each -> each.getValue().kind.equals(payer))
        .min(Comparator.comparingLong(each -> each.getValue().lastUse))
        .ifPresent(oldest -> remove(oldest.getKey(), oldest.getValue()));
  }

  private void remove(String id, Kept kept) {
    if (table.remove(id, kept)) {
      kinds.computeIfPresent(kept.kind, (kind, count) -> count == 1 ? null : count - 1);
    }
  }

  private static final class Kept {
    private final String kind;
    private final Tap tap;
    private volatile long lastUse;

    Kept(String kind, Tap tap, long now) {
      this.kind = kind;
      this.tap = tap;
      this.lastUse = now;
    }

    boolean hasNothingToRemember(long now) {
      RateLimiter open = tap.limiter();
      long unused = now - lastUse - WHILE_NANOS;
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
