package io.weir.rules.http;

import io.weir.Decision;
import io.weir.Limit;
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
import java.util.function.BiConsumer;

/** The headers that tell a caller how it stands with the limits. */
final class LimitHeaders {
  private static final DateTimeFormatter HTTP_DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private final HeaderStyle style;

  LimitHeaders(HeaderStyle style) {
    this.style = style;
  }

  /** Of a ruling, allowed or refused; none if no enforced rule applied. */
  List<Header> of(Ruling ruling) {
    List<Header> headers = new ArrayList<>(8);
    ruling.deciding().ifPresent(deciding -> add(ruling, deciding, headers));
    return headers;
  }

  private void add(Ruling ruling, Verdict deciding, List<Header> headers) {
    Decision decision = deciding.decision();
    if (decision.origin() != Origin.FAILURE) {
      if (style.has(HeaderStyle.Family.X_RATELIMIT)) {
        addLegacy(decision, headers);
      }
      if (style.has(HeaderStyle.Family.RATELIMIT)) {
        addDraft(ruling, deciding, headers);
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
  }

  private void addLegacy(Decision decision, List<Header> headers) {
    Standing standing = decision.deciding();
    headers.add(new Header("X-RateLimit-Limit", Long.toString(standing.limit().capacity())));
    headers.add(new Header("X-RateLimit-Remaining", Long.toString(standing.remaining())));
    headers.add(new Header("X-RateLimit-Reset", reset(standing.resetAfter(), decision.time())));
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

  private static void addDraft(Ruling ruling, Verdict deciding, List<Header> headers) {
    StringBuilder policies = new StringBuilder(64);
    StringBuilder standings = new StringBuilder(64);
    forEachLimit(
        ruling,
        deciding,
        (name, each) -> {
          Standing standing = each.standing();
          appendName(policies, name);
          policies.append(";q=").append(standing.limit().capacity());
          appendWindow(policies, standing.limit(), each.now());
          appendName(standings, name);
          standings.append(";r=").append(standing.remaining());
          appendWait(standings, standing);
        });
    headers.add(new Header("RateLimit-Policy", policies.toString()));
    headers.add(new Header("RateLimit", standings.toString()));
  }

  private static void appendName(StringBuilder list, String name) {
    list.append(list.isEmpty() ? "\"" : ", \"");
    Text.appendField(list, name);
    list.append('"');
  }

  private static void appendWindow(StringBuilder policy, Limit limit, Instant now) {
    long seconds = Windows.seconds(limit, now);
    if (seconds != Windows.NONE) {
      policy.append(";w=").append(seconds);
    }
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
  static List<String> refusing(Ruling ruling) {
    List<String> names = new ArrayList<>();
    ruling
        .deciding()
        .ifPresent(
            deciding ->
                forEachLimit(
                    ruling,
                    deciding,
                    (name, each) -> {
                      if (!each.standing().allows()) {
                        names.add(name);
                      }
                    }));
    return names;
  }

  /** Walks the limits that were asked, the deciding one first, the others in the order of files. */
  @SuppressWarnings("ReferenceEquality") // finds which of them decided
  private static void forEachLimit(
      Ruling ruling, Verdict deciding, BiConsumer<String, Asked> action) {
    Standing first = deciding.decision().deciding();
    List<Standing> own = deciding.decision().standings();
    for (int i = 0; i < own.size(); i++) {
      if (own.get(i) == first) {
        action.accept(name(deciding, i), new Asked(first, deciding.decision().time()));
        break;
      }
    }
    for (Verdict verdict : ruling.verdicts()) {
      Decision decision = verdict.decision();
      List<Standing> standings =
          decision.origin() == Origin.FAILURE ? List.of() : decision.standings();
      for (int i = 0; i < standings.size(); i++) {
        if (standings.get(i) != first) {
          action.accept(name(verdict, i), new Asked(standings.get(i), decision.time()));
        }
      }
    }
  }

  /** {@code rolling}, {@code rolling/2} and so on for the several limits of one rule. */
  private static String name(Verdict verdict, int limit) {
    String rule = verdict.rule().name();
    return limit == 0 ? rule : rule + "/" + (limit + 1);
  }

  /** Whole seconds to wait, at least one: zero would say "at once" to some clients. */
  static long retryAfterSeconds(Decision refused) {
    return Math.max(1, seconds(refused.retryAfter().orElseThrow()));
  }

  private static long seconds(Duration duration) {
    return duration.getSeconds() + (duration.getNano() == 0 ? 0 : 1);
  }

  /** A limit as it stood when it was asked. */
  private record Asked(Standing standing, Instant now) {}
}
