package io.weir.chaos.audit;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * More grants than a limit allows.
 *
 * @param account the user and limiter
 * @param from when the first grant was requested at the node
 * @param to when the last of them was decided
 * @param count how many there were
 * @param allowed the maximum number
 * @param grants the grants, in the order of time
 */
public record Violation(
    String account, long from, long to, long count, long allowed, List<RecordedCheck> grants) {
  private static final int SHOWN = 60;

  long excess() {
    return count - allowed;
  }

  /** All details, with times in milliseconds since {@code origin}. */
  public String toString(long origin) {
    String events =
        grants.stream()
            .limit(SHOWN)
            .map(grant -> "node " + grant.node() + " at " + millis(grant.before(), origin))
            .collect(Collectors.joining(", "));
    return String.format(
        Locale.ROOT,
        "%s: %d yeses from %s to %s ms, %d are allowed: %s",
        account,
        count,
        millis(from, origin),
        millis(to, origin),
        allowed,
        events);
  }

  private static String millis(long nanos, long origin) {
    return String.format(Locale.ROOT, "%.1f", (nanos - origin) / 1e6);
  }
}
