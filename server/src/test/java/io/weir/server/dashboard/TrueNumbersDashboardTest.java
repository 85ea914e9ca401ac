package io.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.options.ColorScheme;
import io.weir.rig.RedisProcess;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Several rules for a request, an override, a shadow rule and a Redis that is killed: each number
 * of the page is that of the traffic that was sent.
 */
@Tag("browser")
@Tag("slow")
class TrueNumbersDashboardTest {
  private static final String RULES =
      """
      rules:
        - { name: wide, match: { path: [/api/**, /open] }, limit: 100000 per hour }
        - name: api
          match: { path: /api/** }
          per: user
          limit: 5 per hour
          on_failure: deny
          overrides:
            - { name: gold, match: { user: ann }, limit: 8 per hour }
        - { name: tried, match: { path: /api/** }, per: user, mode: shadow, limit: 3 per hour }
        - { name: search, match: { path: /search }, limit: 99 per hour, on_failure: error }
      """;

  private static final int ALLOWED = 8 + 5 + 4 + 6; // ann, bob and eve at /api, six at /search
  private static final int ALLOWED_IN_OUTAGE = 5; // at /open
  private static final int REFUSED = 2 + 5; // ann and bob
  private static final int REFUSED_IN_OUTAGE = 4; // tom at /api
  private static final int ERRORS = 2; // at /search
  private static final int WOULD_BE_REFUSED = 5 + 2 + 1; // of those allowed at /api, beyond three
  private static final int UNMATCHED = 3;
  private static final int REQUESTS = 44;

  private static final String BANNER =
      "11 rule decisions without it: 5 allowed, 4 refused, 2 returned 503.";

  @RegisterExtension private static final Chromium CHROMIUM = new Chromium();

  @Test
  void everyNumberIsThatOfTheTraffic() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        DashboardServer dashboardServer =
            new DashboardServer(RULES, settings -> settings.store(redis.url() + "?timeout=1s"));
        DashboardPage dashboardPage = new DashboardPage(CHROMIUM, dashboardServer.adminPort())) {
      dashboardPage.shows("#well-title", "Health: OK");
      dashboardServer.call("ann", "/api/a", 10);
      dashboardServer.call("bob", "/api/b", 10);
      dashboardServer.call("eve", "/api/c", 4);
      dashboardServer.call("eve", "/search", 6);
      dashboardServer.call("eve", "/none", 3);
      redis.kill();
      dashboardPage.shows("#well-title", "Health: outage");
      dashboardServer.call("tom", "/api/a", 4); // a refusal of before would be remembered
      dashboardServer.call("ann", "/search", 2);
      dashboardServer.call("ann", "/open", 5);
      assertThat(dashboardServer.allowed).hasValue(ALLOWED + ALLOWED_IN_OUTAGE + UNMATCHED);
      assertThat(dashboardServer.refused).hasValue(REFUSED + REFUSED_IN_OUTAGE + ERRORS);
      assertThat(dashboardServer.allowed.get() + dashboardServer.refused.get()).isEqualTo(REQUESTS);

      minuteIsTrue(dashboardPage); // before that minute is over
      listsAreTrue(dashboardPage);
      bannerIsTrue(dashboardPage);
      totalsAreTrue(dashboardPage);
      chartIsTrue(dashboardPage);
      tableIsTrue(dashboardPage);
      chartByRuleIsTrue(dashboardPage);
      for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
        for (int width : new int[] {1440, 390}) {
          look(dashboardServer, scheme, width);
        }
      }
    }
  }

  private static void minuteIsTrue(DashboardPage dashboardPage) {
    dashboardPage.reads("[data-tile=refused] [data-number=denied]", REFUSED + REFUSED_IN_OUTAGE);
    dashboardPage.reads("[data-tile=refused] [data-number=error]", ERRORS);
    dashboardPage.reads("[data-tile=refused] [data-number=shadow_denied]", WOULD_BE_REFUSED);
    dashboardPage.shows("[data-tile=refused] .value", "25 %");
    dashboardPage.shows("[data-tile=traffic] .note", REQUESTS + " in the last minute");
  }

  private static void totalsAreTrue(DashboardPage dashboardPage) {
    String total = "[data-tile=total] ";
    dashboardPage.reads(total + ".value", REQUESTS);
    dashboardPage.reads(total + "[data-number=allowed]", ALLOWED + ALLOWED_IN_OUTAGE);
    dashboardPage.reads(total + "[data-number=denied]", REFUSED + REFUSED_IN_OUTAGE);
    dashboardPage.reads(total + "[data-number=error]", ERRORS);
    dashboardPage.reads(total + "[data-number=unmatched]", UNMATCHED);
    dashboardPage.reads(total + "[data-number=shadow_denied]", WOULD_BE_REFUSED);
    dashboardPage.reads("[data-tile=fallback] .value", 11);
    dashboardPage.shows("[data-tile=fallback] .note", "5 allowed");
    dashboardPage.shows("[data-tile=fallback] .note", "4 refused");
    dashboardPage.shows("[data-tile=fallback] .note", "2 returned 503");
    dashboardPage.reads("[data-tile=rules] .value", 4);
  }

  private static void chartIsTrue(DashboardPage dashboardPage) {
    dashboardPage.reads("#traffic [data-total=allowed]", ALLOWED + ALLOWED_IN_OUTAGE);
    dashboardPage.reads("#traffic [data-total=denied]", REFUSED + REFUSED_IN_OUTAGE);
    dashboardPage.reads("#traffic [data-total=error]", ERRORS);
    dashboardPage.reads("#traffic [data-total=unmatched]", UNMATCHED);
    dashboardPage.reads("#traffic [data-total=shadow_denied]", WOULD_BE_REFUSED);
    dashboardPage.shows("#traffic .answer", "44 requests");
    dashboardPage.shows("#traffic .answer", "25 % refused; 2 returned 503; 18 % would be refused.");
  }

  private static void bannerIsTrue(DashboardPage dashboardPage) {
    dashboardPage.shows("#outage", BANNER);
    dashboardPage.shows("#outage", "Affected rules: wide, api, search.");
    dashboardPage.shows("#well .answer", BANNER);
    dashboardPage.shows("#traffic .marks", "11 rule decisions without it");
  }

  /** Refusals of the store's outage count for the caller as well. */
  private static void listsAreTrue(DashboardPage dashboardPage) {
    String refused = "ol[aria-label='Most refused'] [data-caller^='";
    dashboardPage.shows(refused + "api'][data-caller$=' gold'] .number", "2");
    dashboardPage.shows(refused + "search'] .number", "2");
    assertThat(numbers(dashboardPage, "Most refused")).containsExactly("5", "4", "2", "2");
    assertThat(numbers(dashboardPage, "Would be refused")).containsExactly("5", "2", "1");
    dashboardPage.shows("#who .answer", "4 callers were refused in the last minute.");
  }

  private static List<String> numbers(DashboardPage dashboardPage, String list) {
    return dashboardPage
        .page
        .locator("ol[aria-label='" + list + "'] .number")
        .allTextContents()
        .stream()
        .map(text -> text.replaceFirst(" .*", ""))
        .toList();
  }

  private static void tableIsTrue(DashboardPage dashboardPage) {
    rowIsTrue(dashboardPage, "wide", "22", "0", "0 %");
    rowIsTrue(dashboardPage, "api", "17", "11", "39 %");
    rowIsTrue(dashboardPage, "tried", "9", "8", "47 %");
    rowIsTrue(dashboardPage, "search", "6", "2", "25 %");
    dashboardPage.shows("tr[data-rule=search] td:nth-child(4)", "2 of them returned 503");
    dashboardPage.shows("tr[data-rule=tried] td:nth-child(4)", "would be refused");
    dashboardPage.shows("tr[data-rule=tried] td:nth-child(6)", "100 % would be refused");
    dashboardPage.shows("tr[data-rule=api] .overrides", "gold");
    assertThat(dashboardPage.text("table.rules thead")).contains("Refused % of decided");
  }

  private static void rowIsTrue(
      DashboardPage dashboardPage, String rule, String allowed, String refused, String share) {
    String cell = "tr[data-rule=" + rule + "] td:nth-child(%d)";
    dashboardPage.shows(cell.formatted(3), allowed + "\n");
    dashboardPage.shows(cell.formatted(4), refused + "\n");
    dashboardPage.shows(cell.formatted(5), share);
  }

  private static void chartByRuleIsTrue(DashboardPage dashboardPage) {
    dashboardPage.press("#traffic", "By rule");
    dashboardPage.reads("#traffic [data-total=wide]", 22);
    dashboardPage.reads("#traffic [data-total=api]", 17 + REFUSED + REFUSED_IN_OUTAGE);
    dashboardPage.reads("#traffic [data-total=tried]", 17);
    dashboardPage.reads("#traffic [data-total=search]", 6 + ERRORS);
    dashboardPage.press("#traffic", "Refused only");
    dashboardPage.reads("#traffic [data-total=api]", REFUSED + REFUSED_IN_OUTAGE);
    dashboardPage.reads("#traffic [data-total=search]", ERRORS);
    dashboardPage.reads("#traffic [data-total=tried]", 0);
    dashboardPage.press("#traffic", "Would be refused");
    dashboardPage.reads("#traffic [data-total=tried]", WOULD_BE_REFUSED);
    dashboardPage.reads("#traffic [data-total=api]", 0);
    dashboardPage.press("#traffic", "By outcome");
  }

  private static void look(DashboardServer dashboardServer, ColorScheme scheme, int width) {
    try (DashboardPage dashboardPage =
        new DashboardPage(CHROMIUM, dashboardServer.adminPort(), width, 900, scheme)) {
      dashboardPage.shows("#outage", BANNER);
      dashboardPage.reads("#traffic [data-total=error]", ERRORS);
      dashboardPage.reads("[data-tile=total] [data-number=error]", ERRORS);
      assertThat(dashboardPage.page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
          .as("nothing is wider than the screen")
          .isEqualTo(true);
      dashboardPage.picture("true-" + scheme.name().toLowerCase(Locale.ROOT) + "-" + width);
    }
  }
}
