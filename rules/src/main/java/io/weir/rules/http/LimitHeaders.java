package io.weir.rules.http;

import io.weir.Decision;
import io.weir.LimitStatus;
import io.weir.Origin;
import io.weir.rules.RequestDecision;
import io.weir.rules.RuleDecision;
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
  private final AllowedHeadersCache allowedHeadersCache = new AllowedHeadersCache();

  LimitHeaders(HeaderStyle style) {
    this.style = style;
  }

  /** The headers of a decision, allowed or refused; none if no enforced rule applied. */
  List<Header> of(RequestDecision requestDecision) {
    RuleDecision deciding = requestDecision.deciding().orElse(null);
    if (deciding == null) {
      return List.of();
    }
    // refusals are cached as complete responses
    RenderedLimit renderedLimit =
        requestDecision.allowed() ? cacheKey(deciding, requestDecision) : null;
    if (renderedLimit == null) {
      return of(requestDecision, deciding);
    }
    List<Header> cached = allowedHeadersCache.find(renderedLimit);
    return cached == null
        ? allowedHeadersCache.keep(renderedLimit, of(requestDecision, deciding))
        : cached;
  }

  private List<Header> of(RequestDecision requestDecision, RuleDecision deciding) {
    List<Header> headers = new ArrayList<>(8);
    Decision decision = deciding.decision();
    if (decision.origin() != Origin.FAILURE) {
      List<CheckedLimit> checkedLimits = checkedLimits(requestDecision, deciding);
      if (style.has(HeaderStyle.Family.X_RATELIMIT)) {
        addLegacy(checkedLimits.get(0), headers);
      }
      if (style.has(HeaderStyle.Family.RATELIMIT)) {
        addDraft(checkedLimits, headers);
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

  private void addLegacy(CheckedLimit first, List<Header> headers) {
    LimitStatus limitStatus = first.limitStatus();
    headers.add(new Header("X-RateLimit-Limit", first.item().capacity()));
    headers.add(new Header("X-RateLimit-Remaining", Long.toString(limitStatus.remaining())));
    long reset = reset(limitStatus, first.decision());
    headers.add(new Header("X-RateLimit-Reset", resetText(reset)));
  }

  /** In the unit of the style. */
  private long reset(LimitStatus limitStatus, Decision decision) {
    Duration after = limitStatus.resetAfter();
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
  @Nullable RenderedLimit cacheKey(RuleDecision deciding, RequestDecision requestDecision) {
    Decision decision = deciding.decision();
    if (requestDecision.ruleDecisions().size() > 1
        || decision.standings().size() > 1
        || decision.origin() == Origin.FAILURE
        || decision.neverFits()) {
      return null;
    }
    LimitStatus limitStatus = decision.deciding();
    PolicyItems.PolicyItem item = items.of(deciding.rule(), limitStatus.limit(), 0);
    return item.policy() == null // it depends on the time
        ? null
        : new RenderedLimit(
            item,
            limitStatus.remaining(),
            decision.allowed() ? seconds(wait(limitStatus)) : retryAfterSeconds(decision),
            reset(limitStatus, decision));
  }

  private static void addDraft(List<CheckedLimit> checkedLimits, List<Header> headers) {
    StringBuilder limits = new StringBuilder(48 * checkedLimits.size());
    for (int i = 0; i < checkedLimits.size(); i++) {
      CheckedLimit each = checkedLimits.get(i);
      limits.append(i == 0 ? "" : ", ").append(each.item().quoted());
      limits.append(";r=").append(each.limitStatus().remaining());
      appendWait(limits, each.limitStatus());
    }
    headers.add(new Header("RateLimit-Policy", policies(checkedLimits)));
    headers.add(new Header("RateLimit", limits.toString()));
  }

  private static String policies(List<CheckedLimit> checkedLimits) {
    String first = checkedLimits.get(0).policy();
    if (checkedLimits.size() == 1) {
      return first;
    }
    StringBuilder policies = new StringBuilder(48 * checkedLimits.size()).append(first);
    for (int i = 1; i < checkedLimits.size(); i++) {
      policies.append(", ").append(checkedLimits.get(i).policy());
    }
    return policies.toString();
  }

  private static void appendWait(StringBuilder item, LimitStatus limitStatus) {
    Duration wait = wait(limitStatus);
    if (!wait.isZero()) {
      item.append(";t=").append(seconds(wait));
    }
  }

  /** If refused, until the request fits; otherwise until more permits are available. */
  private static Duration wait(LimitStatus limitStatus) {
    return limitStatus.allows() || limitStatus.neverFits()
        ? limitStatus.growsAfter().orElse(Duration.ZERO)
        : limitStatus.retryAfter().orElse(Duration.ZERO);
  }

  /** The names of the limits that refuse, the deciding one first. */
  List<String> refusing(RequestDecision requestDecision) {
    return requestDecision.deciding().stream()
        .flatMap(deciding -> checkedLimits(requestDecision, deciding).stream())
        .filter(each -> !each.limitStatus().allows())
        .map(each -> each.item().name())
        .toList();
  }

  /** The limits that were checked: the deciding one first, the others in the order of files. */
  @SuppressWarnings("ReferenceEquality") // compares by identity to find the deciding one
  private List<CheckedLimit> checkedLimits(RequestDecision requestDecision, RuleDecision deciding) {
    LimitStatus first = deciding.decision().deciding();
    List<LimitStatus> own = deciding.decision().standings();
    List<RuleDecision> ruleDecisions = requestDecision.ruleDecisions();
    if (ruleDecisions.size() == 1 && own.size() == 1) { // the usual case
      return List.of(checkedLimit(deciding, 0));
    }
    List<CheckedLimit> all = new ArrayList<>(4);
    for (int i = 0; i < own.size(); i++) {
      if (own.get(i) == first) {
        all.add(checkedLimit(deciding, i));
        break;
      }
    }
    for (int v = 0; v < ruleDecisions.size(); v++) {
      Decision decision = ruleDecisions.get(v).decision();
      int count = decision.origin() == Origin.FAILURE ? 0 : decision.standings().size();
      for (int i = 0; i < count; i++) {
        if (decision.standings().get(i) != first) {
          all.add(checkedLimit(ruleDecisions.get(v), i));
        }
      }
    }
    return all;
  }

  private CheckedLimit checkedLimit(RuleDecision ruleDecision, int index) {
    Decision decision = ruleDecision.decision();
    LimitStatus limitStatus = decision.standings().get(index);
    return new CheckedLimit(
        items.of(ruleDecision.rule(), limitStatus.limit(), index), limitStatus, decision);
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
  record RenderedLimit(PolicyItems.PolicyItem item, long remaining, long seconds, long reset) {
    @SuppressWarnings("ReferenceEquality") // items are compared by identity too
    boolean isSameAs(RenderedLimit other) {
      return item == other.item
          && remaining == other.remaining
          && seconds == other.seconds
          && reset == other.reset;
    }
  }

  /** A limit and its state at the check. */
  private record CheckedLimit(
      PolicyItems.PolicyItem item, LimitStatus limitStatus, Decision decision) {
    String policy() {
      return item.policy(decision.time());
    }
  }
}
