package io.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.ColorScheme;
import io.weir.rig.Until;
import io.weir.server.Settings;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Several rules with overrides, one of them in shadow mode: each number is that of the traffic. */
@Tag("browser")
@Tag("slow")
class LimitsTest {
  private static final String RULES =
      """
      attributes:
        tier: { lookup: user, map: { big-customer: pro, partner-one: partner }, default: free }
      rules:
        - name: api
          match: { path: /api/** }
          per: user
          limit: { rate: 5 per hour, burst: 5 }
          overrides:
            - { name: pro, match: { tier: pro }, limit: { rate: 20 per hour, burst: 20 } }
            - match: { tier: partner }
              limit: { algorithm: sliding-log, rate: 8 per hour }
        - name: search
          match: { path: /search/** }
          per: user
          limit: { algorithm: sliding-log, rate: 3 per hour }
          mode: shadow
        - name: login
          match: { path: /login }
          per: ip
          limit: { algorithm: sliding-log, rate: 4 per hour }
      """;

  private static final String TO_PANEL =
      "id => new Promise(done => { document.getElementById(id).scrollIntoView({behavior:"
          + " 'instant'}); requestAnimationFrame(() => requestAnimationFrame(done)); })";

  @RegisterExtension private static final Chromium CHROMIUM = new Chromium();

  private static Site busy() {
    Site site = new Site(RULES, settings -> settings);
    site.call("big-customer", "/api/orders", 26); // 20 go
    site.call("partner-one", "/api/orders", 10); // 8 go
    site.call("small-customer", "/api/orders", 7); // 5 go
    site.call("other-customer", "/api/orders", 5); // 5 go, and none is left
    site.call("small-customer", "/search/shoes", 5); // 2 would be refused
    site.call(Map.of("ip", "192.0.2.7", "path", "/login", "method", "POST"), 6); // 4 go
    return site;
  }

  private static List<String> lines(Visit visit, String list) {
    return visit.page.locator("ol[aria-label='" + list + "'] button").allInnerTexts();
  }

  @Test
  void listsCallersByTheLimitsThatHoldForThem() {
    try (Site site = busy();
        Visit visit = new Visit(CHROMIUM, site.adminPort())) {
      Until.holds("four are refused", () -> lines(visit, "Most refused").size() == 4);
      assertThat(lines(visit, "Most refused").get(0))
          .startsWith("bi…er")
          .contains("6", "api · pro");
      assertThat(lines(visit, "Most refused").subList(1, 4))
          .anySatisfy(line -> assertThat(line).contains("pa…ne", "2", "api · {tier: partner}"))
          .anySatisfy(line -> assertThat(line).contains("sm…er", "2", "api"))
          .anySatisfy(line -> assertThat(line).startsWith("192.0.2.7\n2").contains("login"));
      assertThat(lines(visit, "Would be refused"))
          .singleElement()
          .satisfies(line -> assertThat(line).contains("sm…er", "2", "search"));
      assertThat(lines(visit, "Nearest to their limit"))
          .as("without those that are refused")
          .singleElement()
          .satisfies(line -> assertThat(line).contains("ot…er", "100 %", "api"));

      visit.shows("tr[data-rule=api]", "38"); // 20 + 8 + 5 + 5
      visit.shows("tr[data-rule=api]", "10");
      assertThat(visit.page.locator("tr[data-rule=api] .overrides li").allInnerTexts())
          .containsExactly("pro 20 per hour", "{tier: partner} sliding-log 8 per hour");
      visit.shows("tr[data-rule=search]", "40 %");
      assertThat(visit.text("#rules .answer")).doesNotContain("never refuses");
      visit.picture("limits");

      visit.press("#who", "Show keys in full");
      Until.holds(
          "without a token too",
          () -> lines(visit, "Most refused").get(0).startsWith("big-custom"));
    }
  }

  @Test
  void aCallerIsShownWithTheOverrideThatHoldsForIt() {
    try (Site site = busy();
        Visit visit = new Visit(CHROMIUM, site.adminPort())) {
      Map<String, String> holding =
          Map.of("api · pro", "Override pro: ", "api · {tier", "Override {tier: partner}: ");
      holding.forEach(
          (line, words) -> {
            visit.at("ol[aria-label='Most refused'] button:has-text('" + line + "')").click();
            visit.shows("dialog.sheet .state", words);
            assertThat(visit.page.locator("dialog.sheet .bucket").count()).isEqualTo(1);
            assertThat(visit.text("dialog.sheet .bucket"))
                .contains(
                    line.contains("pro") ? "0 of 20 left" : "0 of 8 left", "full again in 60 min");
            visit.picture("override-" + (line.contains("pro") ? "pro" : "partner"));
            visit.page.keyboard().press("Escape");
            visit.page.waitForCondition(() -> visit.page.locator("dialog").count() == 0);
          });
      visit.at("ol[aria-label='Would be refused'] button").click();
      visit.reads("dialog.sheet [data-total=shadow_denied]", 2);
      assertThat(visit.page.locator("dialog.sheet [data-total=denied]").count()).isZero();
    }
  }

  @Test
  void anotherLimitIsTriedOnTheDemandOfAnOverrideAlone() {
    try (Site site = busy();
        Visit visit = new Visit(CHROMIUM, site.adminPort())) {
      visit.at("tr[data-rule=api] button:has-text('What if')").click();
      visit.shows("#whatif .cards", "2 of 12 requests");
      visit.shows("#whatif .cards", "1 of 2 callers");
      Locator part = visit.at("#whatif select");
      part.selectOption("pro");
      visit.shows("#whatif .cards", "6 of 26 requests");
      visit.shows("#whatif .snippet", "# rule 'api', override 'pro', ");
      visit.shows("#whatif .snippet", "limit: { rate: 20 per hour }");
      visit.picture("what-if-override");
      part.selectOption("{tier: partner}");
      visit.shows("#whatif .cards", "2 of 10 requests");
      assertThat(visit.at("#whatif .exact input[type=text]").inputValue()).isEqualTo("8 per hour");

      site.write(RULES.replace("rate: 20 per hour, burst: 20", "rate: 30 per hour, burst: 30"));
      visit.shows(
          "#changes .changed",
          "override pro: {tier: pro}: token-bucket 20 per 1h, burst 20 → {tier: pro}: token-bucket 30");
    }
  }

  @Test
  void theBarMarksOnePanelAtATime() {
    try (Site site = busy();
        Visit visit = new Visit(CHROMIUM, site.adminPort())) {
      visit.shows("tr[data-rule=api]", "38");
      for (String panel : List.of("traffic", "who", "rules", "whatif", "changes", "well")) {
        Until.holds(
            panel + " alone is marked", // once nothing above it grows any more
            () -> {
              visit.page.evaluate(TO_PANEL, panel);
              return marked(visit).size() == 1 && isAtOrEnd(visit, panel);
            });
      }
      for (int y = 0; y < 3000; y += 377) {
        visit.page.evaluate("scrollTo({top: " + y + ", behavior: 'instant'})");
        visit.page.evaluate(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
        assertThat(marked(visit)).as("at %d", y).hasSize(1);
      }
    }
  }

  /** Short panels at the end of the page cannot be scrolled to the top: the last is marked. */
  private static boolean isAtOrEnd(Visit visit, String panel) {
    return List.of("#" + panel, "#changes").contains(marked(visit).get(0));
  }

  private static List<String> marked(Visit visit) {
    return visit.page.locator(".jumps a[aria-current]").all().stream()
        .map(link -> String.valueOf(link.getAttribute("href")))
        .toList();
  }

  @Test
  void theLinksBelowWorkWithAToken() {
    Site guarded =
        new Site(RULES, settings -> settings.adminToken(new Settings.Secret("open-sesame")));
    try (Site site = guarded;
        Visit visit = new Visit(CHROMIUM, site.adminPort())) {
      visit.at("#token").fill("open-sesame");
      visit.press("dialog", "Sign in");
      site.call("small-customer", "/api/orders", 7);
      visit.shows("tr[data-rule=api]", "5");
      for (Map.Entry<String, String> each :
          Map.of("Metrics", "weir_decisions_total{", "API", "openapi: 3", "Readiness", "ready")
              .entrySet()) {
        visit.at("#files a:has-text('" + each.getKey() + "')").click();
        visit.shows("dialog.file pre", each.getValue());
        if (each.getKey().equals("API")) {
          visit.picture("file");
          assertThat(
                  visit
                      .page
                      .waitForDownload(() -> visit.press("dialog.file", "Download"))
                      .suggestedFilename())
              .isEqualTo("openapi.yaml");
        }
        visit.press("dialog.file", "Close");
      }
      visit.forgive("went out: blob:");
    }
  }

  /** To be looked at: in target/dashboard. */
  @Test
  void fitsAPhoneAndAWideWindow() {
    try (Site site = busy()) {
      Map<Integer, ColorScheme> looks = Map.of(1440, ColorScheme.DARK, 390, ColorScheme.LIGHT);
      for (Map.Entry<Integer, ColorScheme> look : looks.entrySet()) {
        int width = look.getKey();
        try (Visit visit = new Visit(CHROMIUM, site.adminPort(), width, 844, look.getValue())) {
          visit.shows("tr[data-rule=api]", "38");
          visit.at("tr[data-rule=api] button:has-text('What if')").click();
          visit.shows("#whatif .cards", "2 of 12 requests");
          assertThat(visit.page.evaluate("document.documentElement.scrollWidth"))
              .as("nothing is wider than the window")
              .isEqualTo(width);
          visit.picture("limits-" + width);
          visit.at("ol[aria-label='Most refused'] button").click();
          visit.shows("dialog.sheet .state", "Override pro");
          visit.picture("caller-" + width);
        }
      }
    }
  }
}
