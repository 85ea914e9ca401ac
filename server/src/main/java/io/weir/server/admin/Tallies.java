package io.weir.server.admin;

import io.weir.OnFailure;
import io.weir.arbiter.Outcome;
import io.weir.arbiter.RequestOutcome;
import io.weir.rules.http.Json;
import io.weir.seeing.Counts;
import io.weir.seeing.Requests;
import java.util.Locale;

/** Writes counts as JSON. */
final class Tallies {
  private static final Outcome[] OUTCOMES = Outcome.values();
  private static final OnFailure[] POLICIES = OnFailure.values();

  private Tallies() {}

  /** Adds {@code "allowed":1,"denied":0} and so on, within an object. */
  static Json outcomes(Json page, long[] counts) {
    for (int i = 0; i < OUTCOMES.length; i++) {
      page.number(OUTCOMES[i].toString(), counts[i]);
    }
    return page;
  }

  /** Adds the counts of one rule. */
  static void ofRule(Json page, String name, Counts counts) {
    outcomes(page.open(name, '{'), counts.outcomes());
    page.number("near_limit", counts.nearLimit()).number("fallback", counts.fallbacks()).close();
  }

  /**
   * Adds request counts: {@code "requests"} is the sum of the outcomes that follow it, and {@code
   * "shadow_denied"} is a part of them.
   */
  static Json requests(Json page, Requests requests) {
    page.number("requests", requests.all());
    for (RequestOutcome each : RequestOutcome.values()) {
      page.number(each.toString(), requests.of(each));
    }
    return page.number(Outcome.SHADOW_DENIED.toString(), requests.shadowDenied());
  }

  /**
   * Adds requests since the start, with the decisions of all rules that were made without the
   * store.
   */
  static void totals(Json page, Requests requests, Counts decisions, long[] fallbacks) {
    requests(page.open("totals", '{'), requests);
    page.number("near_limit", decisions.nearLimit()).open("fallback", '{');
    for (int i = 0; i < POLICIES.length; i++) {
      page.number(POLICIES[i].name().toLowerCase(Locale.ROOT), fallbacks[i]);
    }
    page.close().close();
  }

  /** Adds requests of the last minute. */
  static void minute(Json page, Requests requests, Counts decisions) {
    requests(page.open("minute", '{'), requests);
    page.number("near_limit", decisions.nearLimit());
    page.number("fallback", decisions.fallbacks()).close();
  }

  /** Adds microseconds with one decimal; null if unknown. */
  static void micros(Json page, String name, long nanos, boolean isKnown) {
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
