package io.weir.rules;

import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.rules.match.MalformedRequestException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The limiters of limits that callers bring along: a table of bounded size. */
final class Overrides {
  /*
   * Callers can make up as many limits as they like, and each needs a limiter. When the table is
   * full, those go that have nothing to remember: no key has spent anything, or nobody has asked for
   * longer than a window lasts. A store elsewhere remembers by itself, and has no keys here. If all
   * have something to remember, a new limit is refused: rather that than to forget what somebody has
   * spent.
   *
   * Who has just asked may be about to charge, so nothing is dropped for a while after. That leaves
   * who asks again, after a while, at the very moment of the dropping: that one charge is forgotten.
   */

  /** The most limits of callers that are kept apart. */
  static final int MOST = 1000;

  private static final long WHILE_NANOS = Duration.ofSeconds(10).toNanos();

  private final ConcurrentMap<String, Kept> table = new ConcurrentHashMap<>();
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
    return new Bound(meter, limits, tap(id.toString()));
  }

  private Tap tap(String id) {
    long now = taps.time().epochNanos();
    Kept kept = table.get(id);
    if (kept == null) {
      kept = add(id, now);
    }
    kept.lastUse = now;
    return kept.tap;
  }

  private synchronized Kept add(String id, long now) {
    if (table.size() >= MOST && !table.containsKey(id)) {
      table.values().removeIf(each -> each.hasNothingToRemember(now));
      if (table.size() >= MOST) {
        throw new MalformedRequestException(
            "too many different limit overrides: "
                + (MOST + " are in use; use fewer, or put the limits into the rules"));
      }
    }
    return table.computeIfAbsent(id, any -> new Kept(new Tap(id, taps), now));
  }

  private static final class Kept {
    private final Tap tap;
    private volatile long lastUse;

    Kept(Tap tap, long now) {
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
