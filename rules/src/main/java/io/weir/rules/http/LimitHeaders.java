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

/** The headers that tell a caller how it stands with the limits. */
final class LimitHeaders {
  private static final DateTimeFormatter HTTP_DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private final HeaderStyle style;
  private final PolicyItems items = new PolicyItems();

  LimitHeaders(HeaderStyle style) {
    this.style = style;
  }

  /** Of a ruling, allowed or refused; none if no enforced rule applied. */
  List<Header> of(Ruling ruling) {
    Verdict deciding = ruling.deciding().orElse(null);
    if (deciding == null) {
      return List.of();
    }
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
    headers.add(
        new Header("X-RateLimit-Reset", reset(standing.resetAfter(), first.decision().time())));
  }

  private String reset(Duration after, Instant now) {
    return switch (style.reset()) {
      case EPOCH_SECONDS -> Long.toString(roundedUp(now.plus(after)).getEpochSecond());
      case EPOCH_MILLIS -> Long.toString(now.plus(after).plusNanos(999_999).toEpochMilli());
      case DELTA_SECONDS -> Long.toString(seconds(after));
      case HTTP_DATE -> HTTP_DATE.format(roundedUp(now.plus(after)));
    };
  }

  private static Instant roundedUp(Instant moment) {
    return moment.getNano() == 0 ? moment : Instant.ofEpochSecond(moment.getEpochSecond() + 1);
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

  /** Refused: until the request fits; otherwise until there is more to be had. */
  private static void appendWait(StringBuilder item, Standing standing) {
    Duration wait =
        standing.allows() || standing.neverFits()
            ? standing.growsAfter().orElse(Duration.ZERO)
            : standing.retryAfter().orElse(Duration.ZERO);
    if (!wait.isZero()) {
      item.append(";t=").append(seconds(wait));
    }
  }

  /** The names of the limits that refuse, the deciding one first. */
  List<String> refusing(Ruling ruling) {
    return ruling.deciding().stream()
        .flatMap(deciding -> asked(ruling, deciding).stream())
        .filter(each -> !each.standing().allows())
        .map(each -> each.item().name())
        .toList();
  }

  /** The limits that were asked, the deciding one first, the others in the order of files. */
  @SuppressWarnings("ReferenceEquality") // finds which of them decided
  private List<Asked> asked(Ruling ruling, Verdict deciding) {
    List<Asked> all = new ArrayList<>(4);
    Standing first = deciding.decision().deciding();
    List<Standing> own = deciding.decision().standings();
    for (int i = 0; i < own.size(); i++) {
      if (own.get(i) == first) {
        all.add(asked(deciding, i));
        break;
      }
    }
    List<Verdict> verdicts = ruling.verdicts();
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

  /** Whole seconds to wait, at least one: zero would say "at once" to some clients. */
  static long retryAfterSeconds(Decision refused) {
    return Math.max(1, seconds(refused.retryAfter().orElseThrow()));
  }

  private static long seconds(Duration duration) {
    return duration.getSeconds() + (duration.getNano() == 0 ? 0 : 1);
  }

  /** A limit as it stood when it was asked. */
  private record Asked(PolicyItems.PolicyItem item, Standing standing, Decision decision) {
    String policy() {
      return item.policy(decision.time());
    }
  }
}
