package io.weir.rules.http;

import io.weir.Limit;
import io.weir.rules.Rule;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A cache of the constant parts of headers: the name and policy of each limit. They are built once
 * and found by the identity of the rule.
 *
 * <p>If two rules share a slot, it keeps the latest, and the other is built again. No lock is
 * needed, because items are immutable.
 */
final class PolicyItems {
  private static final int PLACES = 256;

  private final @Nullable PolicyItem[] items = new PolicyItem[PLACES];

  /** The item for one limit of a rule. */
  @SuppressWarnings("ReferenceEquality") // equal rules may have different numbers of limits
  PolicyItem of(Rule rule, Limit limit, int index) {
    int place = (System.identityHashCode(rule) + index) & (PLACES - 1);
    PolicyItem known = items[place];
    if (known != null && known.rule() == rule && known.limit() == limit && known.index() == index) {
      return known;
    }
    PolicyItem item = PolicyItem.of(rule, limit, index);
    items[place] = item;
    return item;
  }

  /**
   * The header parts of a limit.
   *
   * @param name {@code rolling}, {@code rolling/2} and so on for the several limits of one rule
   * @param quoted the name as a string of a structured field
   * @param policy the complete item; null if it depends on the time
   * @param capacity the limit's, in digits
   */
  record PolicyItem(
      Rule rule,
      Limit limit,
      int index,
      String name,
      String quoted,
      @Nullable String policy,
      String capacity) {
    private static PolicyItem of(Rule rule, Limit limit, int index) {
      String name = index == 0 ? rule.name() : rule.name() + "/" + (index + 1);
      StringBuilder quoted = new StringBuilder(name.length() + 2).append('"');
      HeaderStrings.appendField(quoted, name);
      String string = quoted.append('"').toString();
      String capacity = Long.toString(limit.capacity());
      boolean isCalendar =
          limit instanceof Limit.FixedWindow window && window.span() instanceof Limit.Calendar;
      String policy = isCalendar ? null : policy(string, capacity, limit, Instant.EPOCH);
      return new PolicyItem(rule, limit, index, name, string, policy, capacity);
    }

    /** The item of {@code RateLimit-Policy}. */
    String policy(Instant now) {
      return policy != null ? policy : policy(quoted, capacity, limit, now);
    }

    private static String policy(String quoted, String capacity, Limit limit, Instant now) {
      long seconds = PolicyWindow.seconds(limit, now);
      String item = quoted + ";q=" + capacity;
      return seconds == PolicyWindow.NONE ? item : item + ";w=" + seconds;
    }
  }
}
