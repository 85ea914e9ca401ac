package io.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.ColorScheme;
import io.weir.rig.Await;
import io.weir.server.ServerSettings;
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

  private static DashboardServer busy() {
    DashboardServer dashboardServer = new DashboardServer(RULES, settings -> settings);
    dashboardServer.call("big-customer", "/api/orders", 26); // 20 go
    dashboardServer.call("partner-one", "/api/orders", 10); // 8 go
    dashboardServer.call("small-customer", "/api/orders", 7); // 5 go
    dashboardServer.call("other-customer", "/api/orders", 5); // 5 go, and none is left
    dashboardServer.call("small-customer", "/search/shoes", 5); // 2 would be refused
    dashboardServer.call(Map.of("ip", "192.0.2.7", "path", "/login", "method", "POST"), 6); // 4 go
    return dashboardServer;
  }

  private static List<String> lines(DashboardPage dashboardPage, String list) {
    return dashboardPage.page.locator("ol[aria-label='" + list + "'] button").allInnerTexts();
  }

  @Test
  void listsCallersByTheLimitsThatHoldForThem() {
    try (DashboardServer dashboardServer = busy();
        DashboardPage dashboardPage = new DashboardPage(CHROMIUM, dashboardServer.adminPort())) {
      Await.holds("four are refused", () -> lines(dashboardPage, "Most refused").size() == 4);
      assertThat(lines(dashboardPage, "Most refused").get(0))
          .startsWith("bi…er")
          .contains("6", "api · pro");
      assertThat(lines(dashboardPage, "Most refused").subList(1, 4))
          .anySatisfy(line -> assertThat(line).contains("pa…ne", "2", "api · {tier: partner}"))
          .anySatisfy(line -> assertThat(line).contains("sm…er", "2", "api"))
          .anySatisfy(line -> assertThat(line).startsWith("192.0.2.7\n2").contains("login"));
      assertThat(lines(dashboardPage, "Would be refused"))
          .singleElement()
          .satisfies(line -> assertThat(line).contains("sm…er", "2", "search"));
      assertThat(lines(dashboardPage, "Nearest to their limit"))
          .as("without those that are refused")
          .singleElement()
          .satisfies(line -> assertThat(line).contains("ot…er", "100 %", "api"));

      dashboardPage.shows("tr[data-rule=api]", "38"); // 20 + 8 + 5 + 5
      dashboardPage.shows("tr[data-rule=api]", "10");
      assertThat(dashboardPage.page.locator("tr[data-rule=api] .overrides li").allInnerTexts())
          .containsExactly("pro 20 per hour", "{tier: partner} sliding-log 8 per hour");
      dashboardPage.shows("tr[data-rule=search]", "40 %");
      assertThat(dashboardPage.text("#rules .answer")).doesNotContain("never refuses");
      dashboardPage.picture("limits");

      dashboardPage.press("#who", "Show keys in full");
      Await.holds(
          "without a token too",
          () -> lines(dashboardPage, "Most refused").get(0).startsWith("big-custom"));
    }
  }

  @Test
  void aCallerIsShownWithTheOverrideThatHoldsForIt() {
    try (DashboardServer dashboardServer = busy();
        DashboardPage dashboardPage = new DashboardPage(CHROMIUM, dashboardServer.adminPort())) {
      Map<String, String> holding =
          Map.of("api · pro", "Override pro: ", "api · {tier", "Override {tier: partner}: ");
      holding.forEach(
          (line, words) -> {
            dashboardPage
                .at("ol[aria-label='Most refused'] button:has-text('" + line + "')")
                .click();
            dashboardPage.shows("dialog.sheet .state", words);
            assertThat(dashboardPage.page.locator("dialog.sheet .bucket").count()).isEqualTo(1);
            assertThat(dashboardPage.text("dialog.sheet .bucket"))
                .contains(
                    line.contains("pro") ? "0 of 20 left" : "0 of 8 left", "full again in 60 min");
            dashboardPage.picture("override-" + (line.contains("pro") ? "pro" : "partner"));
            dashboardPage.page.keyboard().press("Escape");
            dashboardPage.page.waitForCondition(
                () -> dashboardPage.page.locator("dialog").count() == 0);
          });
      dashboardPage.at("ol[aria-label='Would be refused'] button").click();
      dashboardPage.reads("dialog.sheet [data-total=shadow_denied]", 2);
      assertThat(dashboardPage.page.locator("dialog.sheet [data-total=denied]").count()).isZero();
    }
  }

  @Test
  void anotherLimitIsTriedOnTheDemandOfAnOverrideAlone() {
    try (DashboardServer dashboardServer = busy();
        DashboardPage dashboardPage = new DashboardPage(CHROMIUM, dashboardServer.adminPort())) {
      dashboardPage.at("tr[data-rule=api] button:has-text('What if')").click();
      dashboardPage.shows("#whatif .cards", "2 of 12 requests");
      dashboardPage.shows("#whatif .cards", "1 of 2 callers");
      Locator part = dashboardPage.at("#whatif select");
      part.selectOption("pro");
      dashboardPage.shows("#whatif .cards", "6 of 26 requests");
      dashboardPage.shows("#whatif .snippet", "# rule 'api', override 'pro', ");
      dashboardPage.shows("#whatif .snippet", "limit: { rate: 20 per hour }");
      dashboardPage.picture("what-if-override");
      part.selectOption("{tier: partner}");
      dashboardPage.shows("#whatif .cards", "2 of 10 requests");
      assertThat(dashboardPage.at("#whatif .exact input[type=text]").inputValue())
          .isEqualTo("8 per hour");

      dashboardServer.write(
          RULES.replace("rate: 20 per hour, burst: 20", "rate: 30 per hour, burst: 30"));
      dashboardPage.shows(
          "#changes .changed",
          "override pro: {tier: pro}: token-bucket 20 per 1h, burst 20 → {tier: pro}: token-bucket 30");
    }
  }

  @Test
  void theBarMarksOnePanelAtATime() {
    try (DashboardServer dashboardServer = busy();
        DashboardPage dashboardPage = new DashboardPage(CHROMIUM, dashboardServer.adminPort())) {
      dashboardPage.shows("tr[data-rule=api]", "38");
      for (String panel : List.of("traffic", "who", "rules", "whatif", "changes", "well")) {
        Await.holds(
            panel + " alone is marked", // once nothing above it grows any more
            () -> {
              dashboardPage.page.evaluate(TO_PANEL, panel);
              return marked(dashboardPage).size() == 1 && isAtOrEnd(dashboardPage, panel);
            });
      }
      for (int y = 0; y < 3000; y += 377) {
        dashboardPage.page.evaluate("scrollTo({top: " + y + ", behavior: 'instant'})");
        dashboardPage.page.evaluate(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
        assertThat(marked(dashboardPage)).as("at %d", y).hasSize(1);
      }
    }
  }

  /** Short panels at the end of the page cannot be scrolled to the top: the last is marked. */
  private static boolean isAtOrEnd(DashboardPage dashboardPage, String panel) {
    return List.of("#" + panel, "#changes").contains(marked(dashboardPage).get(0));
  }

  private static List<String> marked(DashboardPage dashboardPage) {
    return dashboardPage.page.locator(".jumps a[aria-current]").all().stream()
        .map(link -> String.valueOf(link.getAttribute("href")))
        .toList();
  }

  @Test
  void theLinksBelowWorkWithAToken() {
    DashboardServer guarded =
        new DashboardServer(
            RULES, settings -> settings.adminToken(new ServerSettings.Secret("open-sesame")));
    try (DashboardServer dashboardServer = guarded;
        DashboardPage dashboardPage = new DashboardPage(CHROMIUM, dashboardServer.adminPort())) {
      dashboardPage.at("#token").fill("open-sesame");
      dashboardPage.press("dialog", "Sign in");
      dashboardServer.call("small-customer", "/api/orders", 7);
      dashboardPage.shows("tr[data-rule=api]", "5");
      for (Map.Entry<String, String> each :
          Map.of("Metrics", "weir_decisions_total{", "API", "openapi: 3", "Readiness", "ready")
              .entrySet()) {
        dashboardPage.at("#files a:has-text('" + each.getKey() + "')").click();
        dashboardPage.shows("dialog.file pre", each.getValue());
        if (each.getKey().equals("API")) {
          dashboardPage.picture("file");
          assertThat(
                  dashboardPage
                      .page
                      .waitForDownload(() -> dashboardPage.press("dialog.file", "Download"))
                      .suggestedFilename())
              .isEqualTo("openapi.yaml");
        }
        dashboardPage.press("dialog.file", "Close");
      }
      dashboardPage.forgive("went out: blob:");
    }
  }

  /** To be looked at: in target/dashboard. */
  @Test
  void fitsAPhoneAndAWideWindow() {
    try (DashboardServer dashboardServer = busy()) {
      Map<Integer, ColorScheme> looks = Map.of(1440, ColorScheme.DARK, 390, ColorScheme.LIGHT);
      for (Map.Entry<Integer, ColorScheme> look : looks.entrySet()) {
        int width = look.getKey();
        try (DashboardPage dashboardPage =
            new DashboardPage(CHROMIUM, dashboardServer.adminPort(), width, 844, look.getValue())) {
          dashboardPage.shows("tr[data-rule=api]", "38");
          dashboardPage.at("tr[data-rule=api] button:has-text('What if')").click();
          dashboardPage.shows("#whatif .cards", "2 of 12 requests");
          assertThat(dashboardPage.page.evaluate("document.documentElement.scrollWidth"))
              .as("nothing is wider than the window")
              .isEqualTo(width);
          dashboardPage.picture("limits-" + width);
          dashboardPage.at("ol[aria-label='Most refused'] button").click();
          dashboardPage.shows("dialog.sheet .state", "Override pro");
          dashboardPage.picture("caller-" + width);
        }
      }
    }
  }
}
