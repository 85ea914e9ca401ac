package io.weir.server.admin;

import io.weir.OnFailure;
import io.weir.decision.RequestOutcome;
import io.weir.decision.RuleOutcome;
import io.weir.insight.series.OutcomeCounts;
import io.weir.insight.series.RequestCounts;
import io.weir.rules.http.JsonWriter;
import java.util.Locale;

/** Writes counts as JSON. */
final class CountsJson {
  private static final RuleOutcome[] OUTCOMES = RuleOutcome.values();
  private static final OnFailure[] POLICIES = OnFailure.values();

  private CountsJson() {}

  /** Adds {@code "allowed":1,"denied":0} and so on, within an object. */
  static JsonWriter outcomes(JsonWriter page, long[] counts) {
    for (int i = 0; i < OUTCOMES.length; i++) {
      page.number(OUTCOMES[i].toString(), counts[i]);
    }
    return page;
  }

  /** Adds the counts of one rule. */
  static void ofRule(JsonWriter page, String name, OutcomeCounts outcomeCounts) {
    outcomes(page.open(name, '{'), outcomeCounts.outcomes());
    page.number("near_limit", outcomeCounts.nearLimit())
        .number("fallback", outcomeCounts.fallbacks())
        .close();
  }

  /**
   * Adds request counts: {@code "requests"} is the sum of the outcomes that follow it, and {@code
   * "shadow_denied"} is a part of them.
   */
  static JsonWriter requests(JsonWriter page, RequestCounts requestCounts) {
    page.number("requests", requestCounts.all());
    for (RequestOutcome each : RequestOutcome.values()) {
      page.number(each.toString(), requestCounts.of(each));
    }
    return page.number(RuleOutcome.SHADOW_DENIED.toString(), requestCounts.shadowDenied());
  }

  /**
   * Adds requests since the start, with the decisions of all rules that were made without the
   * store.
   */
  static void totals(
      JsonWriter page, RequestCounts requestCounts, OutcomeCounts decisions, long[] fallbacks) {
    requests(page.open("totals", '{'), requestCounts);
    page.number("near_limit", decisions.nearLimit()).open("fallback", '{');
    for (int i = 0; i < POLICIES.length; i++) {
      page.number(POLICIES[i].name().toLowerCase(Locale.ROOT), fallbacks[i]);
    }
    page.close().close();
  }

  /** Adds requests of the last minute. */
  static void minute(JsonWriter page, RequestCounts requestCounts, OutcomeCounts decisions) {
    requests(page.open("minute", '{'), requestCounts);
    page.number("near_limit", decisions.nearLimit());
    page.number("fallback", decisions.fallbacks()).close();
  }

  /** Adds microseconds with one decimal; null if unknown. */
  static void micros(JsonWriter page, String name, long nanos, boolean isKnown) {
    if (isKnown) {
      page.raw(name, decimal(nanos / 1000.0, 1));
    } else {
      page.nothing(name);
    }
  }

  /** A number with at most so many decimals. */
  static String decimal(double value, int digits) {
    return java.math.BigDecimal.valueOf(value)
        .setScale(digits, java.math.RoundingMode.HALF_UP)
        .stripTrailingZeros()
        .toPlainString();
  }
}
