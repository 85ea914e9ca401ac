package io.weir;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts of decisions made by {@link OnFailure} because the remote store was unavailable.
 * Immutable.
 *
 * @param allowed how many allowed the request
 * @param refused how many refused it
 * @param errors how many left it open: {@link OnFailure#ERROR}, for which the gateway returns 503
 * @param wouldRefuse how many would have refused it if their rule were not in shadow mode
 * @param counted what {@code byName} counts: "rule" or "limiter"
 * @param byName all of them by the name of that rule or limiter
 */
public record Fallbacks(
    long allowed,
    long refused,
    long errors,
    long wouldRefuse,
    String counted,
    Map<String, Long> byName) {
  /** None. */
  public static final Fallbacks NONE = new Fallbacks(0, 0, 0, 0, "limiter", Map.of());

  /** Copies the map. */
  public Fallbacks {
    byName = Map.copyOf(byName);
  }

  /** How many decisions there were in total. */
  public long all() {
    return allowed + refused + errors + wouldRefuse;
  }

  /** The decisions made since {@code before} was counted. */
  public Fallbacks since(Fallbacks before) {
    Map<String, Long> more = new LinkedHashMap<>();
    byName.forEach(
        (name, count) -> {
          long rest = count - before.byName.getOrDefault(name, 0L);
          if (rest > 0) {
            more.put(name, rest);
          }
        });
    return new Fallbacks(
        allowed - before.allowed,
        refused - before.refused,
        errors - before.errors,
        wouldRefuse - before.wouldRefuse,
        counted,
        more);
  }
}
