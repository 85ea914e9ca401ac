package io.weir;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Decisions that were made without a remote store: by {@link OnFailure}, because the store could
 * not be asked. Immutable.
 *
 * @param allowed how many allowed the request
 * @param refused how many refused it
 * @param errors how many left it open: {@link OnFailure#ERROR}, for which the gateway returns 503
 * @param wouldRefuse how many would have refused it, but for the shadow mode of their rule
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

  /** How many decisions there were. */
  public long all() {
    return allowed + refused + errors + wouldRefuse;
  }

  /** Those that were made since {@code before} was counted. */
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
