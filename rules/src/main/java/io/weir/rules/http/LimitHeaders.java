package io.weir.rules.http;

import io.weir.Decision;
import io.weir.Origin;
import io.weir.Standing;
import io.weir.rules.Ruling;
import io.weir.rules.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Builds the headers that show a caller the state of its limits. */
final class LimitHeaders {
  private static final DateTimeFormatter HTTP_DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private final HeaderStyle style;
  private final PolicyItems items = new PolicyItems();
  private final Allowances allowances = new Allowances();

  LimitHeaders(HeaderStyle style) {
    this.style = style;
  }

  /** The headers of a ruling, allowed or refused; none if no enforced rule applied. */
  List<Header> of(Ruling ruling) {
    Verdict deciding = ruling.deciding().orElse(null);
    if (deciding == null) {
      return List.of();
    }
    // refusals are cached as complete responses
    Told told = ruling.allowed() ? toldAlone(deciding, ruling) : null;
    if (told == null) {
      return of(ruling, deciding);
    }
    List<Header> known = allowances.find(told);
    return known == null ? allowances.keep(told, of(ruling, deciding)) : known;
  }

  private List<Header> of(Ruling ruling, Verdict deciding) {
    List<Header> headers = new ArrayList<>(8);
    Decision decision = deciding.decision();
    if (decision.origin() != Origin.FAILURE) {
      List<Asked> asked = asked(ruling, deciding);
      if (style.has(HeaderStyle.Family.X_RATELIMIT)) {
        addLegacy(asked.get(0), headers);
      }
      if (style.has(HeaderStyle.Family.RATELIMIT)) {
        addDraft(asked, headers);
      }
    }
    if (!decision.allowed() && !decision.neverFits()) {
      String wait = Long.toString(retryAfterSeconds(decision));
      if (style.has(HeaderStyle.Family.RETRY_AFTER)) {
        headers.add(new Header("Retry-After", wait));
      }
      if (style.has(HeaderStyle.Family.X_RATELIMIT)) {
        headers.add(new Header("X-RateLimit-Retry-After", wait));
      }
    }
    return headers;
  }

  private void addLegacy(Asked first, List<Header> headers) {
    Standing standing = first.standing();
    headers.add(new Header("X-RateLimit-Limit", first.item().capacity()));
    headers.add(new Header("X-RateLimit-Remaining", Long.toString(standing.remaining())));
    long reset = reset(standing, first.decision());
    headers.add(new Header("X-RateLimit-Reset", resetText(reset)));
  }

  /** In the unit of the style. */
  private long reset(Standing standing, Decision decision) {
    Duration after = standing.resetAfter();
    return switch (style.reset()) {
      case EPOCH_SECONDS, HTTP_DATE -> roundedUp(decision.time().plus(after));
      case EPOCH_MILLIS -> decision.time().plus(after).plusNanos(999_999).toEpochMilli();
      case DELTA_SECONDS -> seconds(after);
    };
  }

  private String resetText(long reset) {
    return style.reset() == HeaderStyle.Reset.HTTP_DATE
        ? HTTP_DATE.format(Instant.ofEpochSecond(reset))
        : Long.toString(reset);
  }

  private static long roundedUp(Instant moment) {
    return moment.getEpochSecond() + (moment.getNano() == 0 ? 0 : 1);
  }

  /** The cache key for a request with a single limit, which is the usual case; null otherwise. */
  @Nullable Told toldAlone(Verdict deciding, Ruling ruling) {
    Decision decision = deciding.decision();
    if (ruling.verdicts().size() > 1
        || decision.standings().size() > 1
        || decision.origin() == Origin.FAILURE
        || decision.neverFits()) {
      return null;
    }
    Standing standing = decision.deciding();
    PolicyItems.PolicyItem item = items.of(deciding.rule(), standing.limit(), 0);
    return item.policy() == null // it depends on the time
        ? null
        : new Told(
            item,
            standing.remaining(),
            decision.allowed() ? seconds(wait(standing)) : retryAfterSeconds(decision),
            reset(standing, decision));
  }

  private static void addDraft(List<Asked> asked, List<Header> headers) {
    StringBuilder standings = new StringBuilder(48 * asked.size());
    for (int i = 0; i < asked.size(); i++) {
      Asked each = asked.get(i);
      standings.append(i == 0 ? "" : ", ").append(each.item().quoted());
      standings.append(";r=").append(each.standing().remaining());
      appendWait(standings, each.standing());
    }
    headers.add(new Header("RateLimit-Policy", policies(asked)));
    headers.add(new Header("RateLimit", standings.toString()));
  }

  private static String policies(List<Asked> asked) {
    String first = asked.get(0).policy();
    if (asked.size() == 1) {
      return first;
    }
    StringBuilder policies = new StringBuilder(48 * asked.size()).append(first);
    for (int i = 1; i < asked.size(); i++) {
      policies.append(", ").append(asked.get(i).policy());
    }
    return policies.toString();
  }

  private static void appendWait(StringBuilder item, Standing standing) {
    Duration wait = wait(standing);
    if (!wait.isZero()) {
      item.append(";t=").append(seconds(wait));
    }
  }

  /** If refused, until the request fits; otherwise until more permits are available. */
  private static Duration wait(Standing standing) {
    return standing.allows() || standing.neverFits()
        ? standing.growsAfter().orElse(Duration.ZERO)
        : standing.retryAfter().orElse(Duration.ZERO);
  }

  /** The names of the limits that refuse, the deciding one first. */
  List<String> refusing(Ruling ruling) {
    return ruling.deciding().stream()
        .flatMap(deciding -> asked(ruling, deciding).stream())
        .filter(each -> !each.standing().allows())
        .map(each -> each.item().name())
        .toList();
  }

  /** The limits that were checked: the deciding one first, the others in the order of files. */
  @SuppressWarnings("ReferenceEquality") // compares by identity to find the deciding one
  private List<Asked> asked(Ruling ruling, Verdict deciding) {
    Standing first = deciding.decision().deciding();
    List<Standing> own = deciding.decision().standings();
    List<Verdict> verdicts = ruling.verdicts();
    if (verdicts.size() == 1 && own.size() == 1) { // as is usual
      return List.of(asked(deciding, 0));
    }
    List<Asked> all = new ArrayList<>(4);
    for (int i = 0; i < own.size(); i++) {
      if (own.get(i) == first) {
        all.add(asked(deciding, i));
        break;
      }
    }
    for (int v = 0; v < verdicts.size(); v++) {
      Decision decision = verdicts.get(v).decision();
      int standings = decision.origin() == Origin.FAILURE ? 0 : decision.standings().size();
      for (int i = 0; i < standings; i++) {
        if (decision.standings().get(i) != first) {
          all.add(asked(verdicts.get(v), i));
        }
      }
    }
    return all;
  }

  private Asked asked(Verdict verdict, int index) {
    Decision decision = verdict.decision();
    Standing standing = decision.standings().get(index);
    return new Asked(items.of(verdict.rule(), standing.limit(), index), standing, decision);
  }

  /** Whole seconds to wait, at least one, because some clients retry at once on zero. */
  static long retryAfterSeconds(Decision refused) {
    return Math.max(1, seconds(refused.retryAfter().orElseThrow()));
  }

  private static long seconds(Duration duration) {
    return duration.getSeconds() + (duration.getNano() == 0 ? 0 : 1);
  }

  /**
   * Everything that the text of a response depends on.
   *
   * @param seconds to wait; if allowed, until the next permit
   * @param reset in the unit of the style
   */
  record Told(PolicyItems.PolicyItem item, long remaining, long seconds, long reset) {
    @SuppressWarnings("ReferenceEquality") // items are compared by identity too
    boolean isSameAs(Told other) {
      return item == other.item
          && remaining == other.remaining
          && seconds == other.seconds
          && reset == other.reset;
    }
  }

  /** A limit and its state at the check. */
  private record Asked(PolicyItems.PolicyItem item, Standing standing, Decision decision) {
    String policy() {
      return item.policy(decision.time());
    }
  }
}
