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
        Site site = new Site(RULES, settings -> settings.store(redis.url() + "?timeout=1s"));
        Visit visit = new Visit(CHROMIUM, site.adminPort())) {
      visit.shows("#well-title", "Health: OK");
      site.call("ann", "/api/a", 10);
      site.call("bob", "/api/b", 10);
      site.call("eve", "/api/c", 4);
      site.call("eve", "/search", 6);
      site.call("eve", "/none", 3);
      redis.kill();
      visit.shows("#well-title", "Health: outage");
      site.call("tom", "/api/a", 4); // a refusal of before would be remembered
      site.call("ann", "/search", 2);
      site.call("ann", "/open", 5);
      assertThat(site.allowed).hasValue(ALLOWED + ALLOWED_IN_OUTAGE + UNMATCHED);
      assertThat(site.refused).hasValue(REFUSED + REFUSED_IN_OUTAGE + ERRORS);
      assertThat(site.allowed.get() + site.refused.get()).isEqualTo(REQUESTS);

      minuteIsTrue(visit); // before that minute is over
      listsAreTrue(visit);
      bannerIsTrue(visit);
      totalsAreTrue(visit);
      chartIsTrue(visit);
      tableIsTrue(visit);
      chartByRuleIsTrue(visit);
      for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
        for (int width : new int[] {1440, 390}) {
          look(site, scheme, width);
        }
      }
    }
  }

  private static void minuteIsTrue(Visit visit) {
    visit.reads("[data-tile=refused] [data-number=denied]", REFUSED + REFUSED_IN_OUTAGE);
    visit.reads("[data-tile=refused] [data-number=error]", ERRORS);
    visit.reads("[data-tile=refused] [data-number=shadow_denied]", WOULD_BE_REFUSED);
    visit.shows("[data-tile=refused] .value", "25 %");
    visit.shows("[data-tile=traffic] .note", REQUESTS + " in the last minute");
  }

  private static void totalsAreTrue(Visit visit) {
    String total = "[data-tile=total] ";
    visit.reads(total + ".value", REQUESTS);
    visit.reads(total + "[data-number=allowed]", ALLOWED + ALLOWED_IN_OUTAGE);
    visit.reads(total + "[data-number=denied]", REFUSED + REFUSED_IN_OUTAGE);
    visit.reads(total + "[data-number=error]", ERRORS);
    visit.reads(total + "[data-number=unmatched]", UNMATCHED);
    visit.reads(total + "[data-number=shadow_denied]", WOULD_BE_REFUSED);
    visit.reads("[data-tile=fallback] .value", 11);
    visit.shows("[data-tile=fallback] .note", "5 allowed");
    visit.shows("[data-tile=fallback] .note", "4 refused");
    visit.shows("[data-tile=fallback] .note", "2 returned 503");
    visit.reads("[data-tile=rules] .value", 4);
  }

  private static void chartIsTrue(Visit visit) {
    visit.reads("#traffic [data-total=allowed]", ALLOWED + ALLOWED_IN_OUTAGE);
    visit.reads("#traffic [data-total=denied]", REFUSED + REFUSED_IN_OUTAGE);
    visit.reads("#traffic [data-total=error]", ERRORS);
    visit.reads("#traffic [data-total=unmatched]", UNMATCHED);
    visit.reads("#traffic [data-total=shadow_denied]", WOULD_BE_REFUSED);
    visit.shows("#traffic .answer", "44 requests");
    visit.shows("#traffic .answer", "25 % refused; 2 returned 503; 18 % would be refused.");
  }

  private static void bannerIsTrue(Visit visit) {
    visit.shows("#outage", BANNER);
    visit.shows("#outage", "Affected rules: wide, api, search.");
    visit.shows("#well .answer", BANNER);
    visit.shows("#traffic .marks", "11 rule decisions without it");
  }

  /** Refusals of the store's outage count for the caller as well. */
  private static void listsAreTrue(Visit visit) {
    String refused = "ol[aria-label='Most refused'] [data-caller^='";
    visit.shows(refused + "api'][data-caller$=' gold'] .number", "2");
    visit.shows(refused + "search'] .number", "2");
    assertThat(numbers(visit, "Most refused")).containsExactly("5", "4", "2", "2");
    assertThat(numbers(visit, "Would be refused")).containsExactly("5", "2", "1");
    visit.shows("#who .answer", "4 callers were refused in the last minute.");
  }

  private static List<String> numbers(Visit visit, String list) {
    return visit.page.locator("ol[aria-label='" + list + "'] .number").allTextContents().stream()
        .map(text -> text.replaceFirst(" .*", ""))
        .toList();
  }

  private static void tableIsTrue(Visit visit) {
    rowIsTrue(visit, "wide", "22", "0", "0 %");
    rowIsTrue(visit, "api", "17", "11", "39 %");
    rowIsTrue(visit, "tried", "9", "8", "47 %");
    rowIsTrue(visit, "search", "6", "2", "25 %");
    visit.shows("tr[data-rule=search] td:nth-child(4)", "2 of them returned 503");
    visit.shows("tr[data-rule=tried] td:nth-child(4)", "would be refused");
    visit.shows("tr[data-rule=tried] td:nth-child(6)", "100 % would be refused");
    visit.shows("tr[data-rule=api] .overrides", "gold");
    assertThat(visit.text("table.rules thead")).contains("Refused % of decided");
  }

  private static void rowIsTrue(
      Visit visit, String rule, String allowed, String refused, String share) {
    String cell = "tr[data-rule=" + rule + "] td:nth-child(%d)";
    visit.shows(cell.formatted(3), allowed + "\n");
    visit.shows(cell.formatted(4), refused + "\n");
    visit.shows(cell.formatted(5), share);
  }

  private static void chartByRuleIsTrue(Visit visit) {
    visit.press("#traffic", "By rule");
    visit.reads("#traffic [data-total=wide]", 22);
    visit.reads("#traffic [data-total=api]", 17 + REFUSED + REFUSED_IN_OUTAGE);
    visit.reads("#traffic [data-total=tried]", 17);
    visit.reads("#traffic [data-total=search]", 6 + ERRORS);
    visit.press("#traffic", "Refused only");
    visit.reads("#traffic [data-total=api]", REFUSED + REFUSED_IN_OUTAGE);
    visit.reads("#traffic [data-total=search]", ERRORS);
    visit.reads("#traffic [data-total=tried]", 0);
    visit.press("#traffic", "Would be refused");
    visit.reads("#traffic [data-total=tried]", WOULD_BE_REFUSED);
    visit.reads("#traffic [data-total=api]", 0);
    visit.press("#traffic", "By outcome");
  }

  private static void look(Site site, ColorScheme scheme, int width) {
    try (Visit visit = new Visit(CHROMIUM, site.adminPort(), width, 900, scheme)) {
      visit.shows("#outage", BANNER);
      visit.reads("#traffic [data-total=error]", ERRORS);
      visit.reads("[data-tile=total] [data-number=error]", ERRORS);
      assertThat(visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
          .as("nothing is wider than the screen")
          .isEqualTo(true);
      visit.picture("true-" + scheme.name().toLowerCase(Locale.ROOT) + "-" + width);
    }
  }
}
