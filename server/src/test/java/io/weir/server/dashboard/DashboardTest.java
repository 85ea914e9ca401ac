package io.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.WaitForSelectorState;
import io.weir.rig.Await;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A person looks at the dashboard of a server that has work to do. */
@Tag("browser")
@Tag("slow")
class DashboardTest {
  private static final String BEHIND_THE_DIALOG =
      "document.activeElement !== document.body && !document.activeElement.closest('dialog')";

  /** Keeps the highest number of refusals that the chart has ever shown. */
  private static final String REMEMBER_THE_MOST =
      "() => { window.most = 0; new MutationObserver(() => { const told ="
          + " document.querySelector('#traffic [data-total=denied]')?.textContent ?? '0';"
          + " window.most = Math.max(most, Number(told.replace(',', '')));"
          + " }).observe(document.querySelector('#traffic'),"
          + " {subtree: true, childList: true, characterData: true}); }";

  @RegisterExtension private static final Chromium CHROMIUM = new Chromium();

  /** While it is looked at, and to the last request. */
  @Test
  void theNumbersAreThoseOfTheTraffic() {
    try (DashboardServer dashboardServer = new DashboardServer();
        DashboardPage dashboardPage = new DashboardPage(CHROMIUM, dashboardServer.adminPort())) {
      dashboardPage.shows("#live", "Live");
      dashboardPage.shows(
          "#traffic .empty", "curl -i http://127.0.0.1:" + dashboardServer.gatewayPort() + "/");
      dashboardPage.page.evaluate(REMEMBER_THE_MOST);

      dashboardServer.rush(40, "/api/orders", 12); // 5 of each are allowed
      dashboardServer.rush(10, "/search/shoes", 4); // 1 of each would be refused
      dashboardServer.call("one", "/export", 6); // 1 goes, 3 wait, 2 are refused
      dashboardServer.call("one", "/elsewhere", 7);
      assertThat(dashboardServer.refused).hasValue(40 * 7 + 2);

      String total = "[data-tile=total] ";
      dashboardPage.reads(total + "[data-number=denied]", 40 * 7 + 2);
      dashboardPage.reads(total + "[data-number=allowed]", 40 * 5 + 10 * 4 + 1);
      dashboardPage.reads(total + "[data-number=shadow_denied]", 10);
      dashboardPage.reads(total + "[data-number=delayed]", 3);
      dashboardPage.reads(total + "[data-number=unmatched]", 7);
      dashboardPage.reads("[data-tile=refused] [data-number=denied]", 40 * 7 + 2);

      dashboardPage.reads("#traffic [data-total=denied]", 40 * 7 + 2);
      dashboardPage.reads("#traffic [data-total=allowed]", 40 * 5 + 10 * 4 + 1);
      dashboardPage.reads("#traffic [data-total=shadow_denied]", 10);
      dashboardPage.reads("#traffic [data-total=delayed]", 3);
      dashboardPage.reads("#traffic [data-total=unmatched]", 7);

      dashboardPage.shows("tr[data-rule=api]", "200");
      dashboardPage.shows("tr[data-rule=api]", "280");
      dashboardPage.shows("tr[data-rule=api]", "58 %");
      dashboardPage.shows("tr[data-rule=search]", "shadow");
      dashboardPage.shows("tr[data-rule=idle]", "0 / min");

      for (int i = 0; i < 40; i++) { // seen as it happens, in whatever part of a second
        dashboardServer.call("user-%03d".formatted(i), "/api/orders", 1);
        dashboardPage.page.waitForTimeout(100);
      }
      dashboardPage.reads(total + "[data-number=denied]", 40 * 8 + 2);
      dashboardPage.reads("#traffic [data-total=denied]", 40 * 8 + 2);
      assertThat(dashboardPage.page.evaluate("most"))
          .as("nothing was shown twice")
          .isEqualTo(40 * 8 + 2);
      dashboardPage.picture("numbers");
    }
  }

  /** An allowed request is one request, also where three rules and two shadow rules allow it. */
  @Test
  void halfIsHalfWhateverNumberOfRulesApply() {
    String rules =
        """
        rules:
          - { name: tight, limit: 50 per hour }
          - { name: wide, limit: 1000 per hour }
          - { name: wider, per: user, limit: 2000 per hour }
          - { name: tried, mode: shadow, limit: 30 per hour }
          - { name: second, per: user, mode: shadow, limit: 40 per hour }
        """;
    try (DashboardServer dashboardServer = new DashboardServer(rules, settings -> settings);
        DashboardPage dashboardPage = new DashboardPage(CHROMIUM, dashboardServer.adminPort())) {
      dashboardServer.call("one", "/a", 100);
      assertThat(dashboardServer.refused).hasValue(50);
      dashboardPage.reads("[data-tile=total] [data-number=denied]", 50);
      dashboardPage.reads("[data-tile=total] [data-number=allowed]", 50);
      dashboardPage.reads("[data-tile=total] [data-number=shadow_denied]", 20);
      dashboardPage.reads("[data-tile=refused] [data-number=denied]", 50);
      dashboardPage.shows("[data-tile=refused] .value", "50 %");
      dashboardPage.shows("[data-tile=traffic] .note", "100 in the last minute");
      dashboardPage.reads("#traffic [data-total=denied]", 50);
      dashboardPage.shows("#traffic .answer", "100 requests");
      dashboardPage.shows("#traffic .answer", "50 % refused");

      dashboardPage.press("#traffic", "By rule");
      dashboardPage.reads("#traffic [data-total=tight]", 100);
      dashboardPage.reads("#traffic [data-total=wide]", 50);
      dashboardPage.shows("#traffic .body", "a request counts once in every rule that applied");
    }
  }

  @Test
  void theChartIsByOutcomeOrByRuleOverThreeRanges() {
    try (DashboardServer dashboardServer = new DashboardServer();
        DashboardPage dashboardPage = new DashboardPage(CHROMIUM, dashboardServer.adminPort())) {
      dashboardServer.rush(4, "/api/orders", 6);
      dashboardServer.rush(4, "/search/shoes", 2);
      dashboardPage.reads("#traffic [data-total=denied]", 4);
      for (String range : new String[] {"1 hour", "24 hours", "5 min"}) {
        dashboardPage.press("#traffic", range);
        dashboardPage.reads("#traffic [data-total=denied]", 4);
      }
      dashboardPage.press("#traffic", "By rule");
      dashboardPage.reads("#traffic [data-total=api]", 24);
      dashboardPage.reads("#traffic [data-total=search]", 8);
      dashboardPage.press("#traffic", "Refused only");
      dashboardPage.reads("#traffic [data-total=api]", 4);
      dashboardPage.press("#traffic", "By outcome");

      Locator rule = dashboardPage.at("#traffic input[role=combobox]");
      rule.fill("sea");
      dashboardPage.at("#traffic [role=option]:has-text('search')").waitFor();
      rule.press("Enter");
      dashboardPage.reads("#traffic [data-total=allowed]", 8);

      Locator plot = dashboardPage.at("#traffic .plot");
      plot.focus();
      plot.press("ArrowLeft");
      assertThat(dashboardPage.text("#traffic .tip")).isNotBlank();
      Locator legend = dashboardPage.at("#traffic .legend button");
      legend.click();
      assertThat(legend.getAttribute("aria-pressed")).isEqualTo("false");
    }
  }

  @Test
  void showsCallerAndGrantsPermits() {
    try (DashboardServer dashboardServer = new DashboardServer();
        DashboardPage dashboardPage = new DashboardPage(CHROMIUM, dashboardServer.adminPort())) {
      dashboardServer.call("a-busy-customer", "/api/orders", 30);
      dashboardServer.call("another-customer", "/api/orders", 7);
      Locator first = dashboardPage.at("ol[aria-label='Most refused'] button");
      Await.holds(
          "the busiest is first, with digits that tell it from others of that mask",
          () -> first.innerText().matches("(?s)a-…er [0-9a-f]{4}\n25.*"));
      String digits = first.innerText().substring("a-…er ".length(), "a-…er 1234".length());
      first.click();
      dashboardPage.shows("dialog.sheet code", digits);

      Locator sheet = dashboardPage.at("dialog.sheet");
      dashboardPage.shows("dialog.sheet h2", "a-…er");
      dashboardPage.shows("dialog.sheet .state", "Next request is refused");
      dashboardPage.shows("dialog.sheet .state", "0 of 5 left");
      dashboardPage.reads("dialog.sheet [data-total=denied]", 25);
      dashboardPage.reads("dialog.sheet [data-total=allowed]", 5);
      dashboardPage.picture("caller");

      sheet.getByLabel("Permits to give").fill("2");
      dashboardPage.press("dialog.sheet", "Grant…");
      dashboardPage.shows("dialog.sheet .actions", "Give this caller 2 permits?");
      dashboardPage.press("dialog.sheet", "Cancel");
      assertThat(dashboardPage.text("dialog.sheet .state")).contains("0 of 5 left");
      dashboardPage.press("dialog.sheet", "Grant…");
      dashboardPage.press("dialog.sheet", "Grant");
      dashboardPage.shows("dialog.sheet .told", "Granted 2 permits.");
      dashboardPage.shows("dialog.sheet .state", "2 of 5 left");

      dashboardPage.press("dialog.sheet", "Reset…");
      dashboardPage.press("dialog.sheet", "Reset");
      dashboardPage.shows("dialog.sheet .state", "5 of 5 left");

      dashboardPage.page.keyboard().press("Escape");
      sheet.waitFor(new Locator.WaitForOptions().setState(WaitForSelectorState.DETACHED));
      int before = dashboardServer.allowed.get();
      dashboardServer.call("a-busy-customer", "/api/orders", 6);
      assertThat(dashboardServer.allowed.get() - before).isEqualTo(5);
    }
  }

  @Test
  void whatIfReplaysRecordedRequests() {
    try (DashboardServer dashboardServer = new DashboardServer();
        DashboardPage dashboardPage = new DashboardPage(CHROMIUM, dashboardServer.adminPort())) {
      dashboardServer.rush(20, "/api/orders", 10);
      dashboardPage.shows("#rules", "api");
      dashboardPage.at("tr[data-rule=api] button:has-text('What if')").click();
      dashboardPage.shows("#whatif .cards", "Requests that would be refused");
      dashboardPage.shows("#whatif .snippet", "rule 'api'");

      Locator slider = dashboardPage.at("#whatif input[type=range]");
      slider.focus();
      slider.press("Home");
      String strict = dashboardPage.at("#whatif .exact input[type=text]").inputValue();
      Await.holds(
          "the snippet follows", () -> dashboardPage.text("#whatif .snippet").contains(strict));
      slider.press("End");
      Await.holds(
          "with the widest limit no caller is refused",
          () -> dashboardPage.text("#whatif .cards .value").startsWith("0 %"));
      dashboardPage.press("#whatif", "Copy the limit");
      dashboardPage.shows("#whatif .export", "Copied.");
      assertThat(dashboardPage.page.evaluate("navigator.clipboard.readText()").toString())
          .contains("rule 'api'")
          .contains("limit: {")
          .contains(dashboardPage.at("#whatif .exact input[type=text]").inputValue().split(" ")[0]);
      dashboardPage.picture("what-if");
    }
  }

  /** A page opened before the traffic shows it too, and a changed limit does not distort it. */
  @Test
  void whatIfUpdatesAsDemandArrives() {
    try (DashboardServer dashboardServer = new DashboardServer();
        DashboardPage dashboardPage = new DashboardPage(CHROMIUM, dashboardServer.adminPort())) {
      dashboardPage.shows("#whatif .empty", "No demand is recorded");
      dashboardServer.rush(3, "/api/orders", 8);
      dashboardPage.at("tr[data-rule=api] button:has-text('What if')").click();
      dashboardPage.shows("#whatif .cards", "9 of 24 requests");
      Locator slider = dashboardPage.at("#whatif input[type=range]");
      slider.focus();
      dashboardServer.rush(3, "/api/orders", 2);
      dashboardPage.shows("#whatif .cards", "15 of 30 requests");
      dashboardPage.at("#whatif .export button:enabled").waitFor();

      dashboardServer.write(
          DashboardServer.RULES.replace("5 per hour, burst: 5", "7 per hour, burst: 7"));
      dashboardPage.shows("#whatif .snippet", "7 per hour");
      dashboardPage.shows("#whatif .cards", "9 of 30 requests");
      slider.press("Home");
      String strict = dashboardPage.at("#whatif .exact input[type=text]").inputValue();
      dashboardPage.shows("#whatif .snippet", strict);
      dashboardServer.rush(3, "/api/orders", 1);
      dashboardPage.shows("#whatif .cards", "of 33 requests");
      assertThat(dashboardPage.text("#whatif .snippet")).as("it is still tried").contains(strict);
    }
  }

  @Test
  void updatesDoNotInterruptTyping() {
    try (DashboardServer dashboardServer = new DashboardServer();
        DashboardPage dashboardPage = new DashboardPage(CHROMIUM, dashboardServer.adminPort())) {
      dashboardServer.rush(3, "/api/orders", 8);
      dashboardPage.shows("#whatif .cards", "9 of 24 requests");
      AtomicInteger received = new AtomicInteger();
      dashboardPage.page.onRequest(
          request -> {
            if (request.url().contains("/v1/what-if")) {
              received.incrementAndGet();
            }
          });
      Locator field = dashboardPage.at("#whatif .exact input[type=text]");
      field.fill("12 p");
      dashboardPage.page.waitForTimeout(14_000);
      assertThat(received).hasValue(0);
      assertThat(field.inputValue()).isEqualTo("12 p");
      field.fill("12 per hour");
      field.press("Enter");
      dashboardPage.shows("#whatif .snippet", "12 per hour");
    }
  }

  /** For every algorithm, the slider requests a rate and shows the result. */
  @ParameterizedTest
  @CsvSource({
    "search, sliding-log, ''",
    "export, leaky-bucket, queue: ",
    "burst, , burst: ",
    "typed, , burst: 7",
  })
  void theSliderWorksForEveryRule(String rule, String algorithm, String size) {
    String rules =
        DashboardServer.RULES
            + """
              - { name: burst, match: { path: /burst }, per: user, limit: { rate: 2 per hour, burst: 6 } }
              - { name: typed, match: { path: /typed }, per: user, limit: 2 per hour }
            """;
    try (DashboardServer dashboardServer = new DashboardServer(rules, settings -> settings);
        DashboardPage dashboardPage = new DashboardPage(CHROMIUM, dashboardServer.adminPort())) {
      dashboardServer.rush(10, rule.equals("search") ? "/search/a" : "/" + rule, 10);
      dashboardPage.shows("#rules", rule);
      dashboardPage.at("tr[data-rule=" + rule + "] button:has-text('What if')").click();
      dashboardPage.shows("#whatif .snippet", "rule '" + rule + "'");
      if (rule.equals("typed")) {
        dashboardPage.at("#whatif .exact input[type=number]").fill("7");
        dashboardPage.shows("#whatif .snippet", "burst: 7");
      }
      Locator slider = dashboardPage.at("#whatif input[type=range]");
      slider.focus();
      for (String key : List.of("End", "Home", "End", "ArrowLeft")) {
        slider.press(key);
        String rate = dashboardPage.at("#whatif .exact input[type=text]").inputValue();
        assertThat(rate).matches("\\d+ per [a-z]+");
        dashboardPage.shows("#whatif .snippet", "rate: " + rate);
        dashboardPage.at("#whatif .export button:enabled").waitFor();
      }
      assertThat(dashboardPage.text("#whatif .problem")).isEmpty();
      assertThat(dashboardPage.text("#whatif .snippet"))
          .contains(algorithm == null ? "" : algorithm, size);

      dashboardPage.at("#whatif .exact input[type=text]").fill("nonsense");
      dashboardPage.at("#whatif .exact input[type=text]").press("Enter");
      dashboardPage.shows("#whatif .problem", "'limit' must be");
      dashboardPage.at("#whatif .export button:disabled").waitFor();
      dashboardPage.forgive("400");
    }
  }

  /** A request is repeated while the server is busy with others, and the result is shown. */
  @Test
  void retriesWhileServerIsBusy() {
    try (DashboardServer dashboardServer = new DashboardServer();
        DashboardPage dashboardPage = new DashboardPage(CHROMIUM, dashboardServer.adminPort())) {
      dashboardServer.call("somebody", "/api/x", 9);
      dashboardPage.shows("#live", "Live");
      AtomicInteger refused = new AtomicInteger();
      dashboardPage.page.route(
          (String url) -> url.contains("/v1/what-if"),
          route -> {
            if (refused.incrementAndGet() <= 2) {
              route.fulfill(
                  new Route.FulfillOptions()
                      .setStatus(503)
                      .setContentType("application/json")
                      .setBody("{\"error\":\"busy\",\"message\":\"too many ask at once\"}"));
            } else {
              route.resume();
            }
          });
      dashboardPage.page.reload();
      dashboardPage.shows("#whatif .cards", "of 9 requests");
      assertThat(refused.get()).isGreaterThan(2);
      assertThat(dashboardPage.text("#whatif .problem")).isEmpty();
      dashboardPage.forgive("503");
    }
  }

  @Test
  void aReloadIsShownWithWhatItChanged() {
    try (DashboardServer dashboardServer = new DashboardServer();
        DashboardPage dashboardPage = new DashboardPage(CHROMIUM, dashboardServer.adminPort())) {
      dashboardPage.shows("#changes", "Started");
      dashboardServer.write(
          DashboardServer.RULES.replace("5 per hour, burst: 5", "6 per hour, burst: 9"));
      dashboardPage.shows("#changes .changed", "burst 9");
      dashboardPage.shows("tr[data-rule=api]", "burst 9");
      dashboardServer.write(DashboardServer.RULES.replace("per: user", "pear: user"));
      dashboardPage.shows("#changes .rejected", "pear");
      dashboardPage.shows("#well .answer", "were rejected");
      dashboardServer.write(DashboardServer.RULES);
      Await.holds("well again", () -> !dashboardPage.text("#well .answer").contains("rejected"));
    }
  }

  @Test
  void aRuleIsFoundAmongTenThousand() {
    StringBuilder rules = new StringBuilder("rules:\n");
    for (int i = 0; i < 10_000; i++) {
      rules.append(
          "  - {name: tenant-%05d, match: {path: /t%d}, per: user, limit: 2 per hour}\n"
              .formatted(i, i));
    }
    try (DashboardServer dashboardServer =
            new DashboardServer(rules.toString(), settings -> settings);
        DashboardPage dashboardPage = new DashboardPage(CHROMIUM, dashboardServer.adminPort())) {
      dashboardServer.call("somebody", "/t9998", 3);
      dashboardPage.shows("#rules .pages", "of 10,000 rules");
      dashboardPage.shows("#rules tbody tr", "tenant-09998"); // the most refused is first
      dashboardPage.press("#rules", "Next");
      dashboardPage.shows("#rules .pages", "16–30");
      dashboardPage.press("#rules", "Rule");
      dashboardPage.shows("#rules tbody tr", "tenant-00000");
      dashboardPage.page.keyboard().press("/");
      dashboardPage.page.keyboard().type("09997");
      dashboardPage.shows("#rules .pages", "1–1 of 1 rule");
      dashboardPage.shows("#rules tbody tr", "tenant-09997");
    }
  }

  @Test
  void bannerShowsUnreachableServerUntilItReturns() {
    try (DashboardServer dashboardServer = new DashboardServer();
        DashboardPage dashboardPage = new DashboardPage(CHROMIUM, dashboardServer.adminPort())) {
      dashboardPage.shows("#live", "Live");
      var same = dashboardServer.leave();
      dashboardPage.shows("#banner", "The server does not answer");
      dashboardPage.shows("#live", "Disconnected");
      assertThat(dashboardPage.page.locator("body[data-stale]").count()).isEqualTo(1);
      dashboardServer.comeBack(same);
      dashboardPage
          .page
          .getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Try now"))
          .click();
      dashboardPage.shows("#live", "Live");
      assertThat(dashboardPage.at("#banner").isVisible()).isFalse();
      dashboardPage.forgive(
          "ERR_CONNECTION_REFUSED",
          "ERR_INCOMPLETE_CHUNKED_ENCODING",
          "ERR_CONNECTION_RESET",
          "ERR_EMPTY_RESPONSE");
    }
  }

  @Test
  void isUsableByKeyboard() {
    try (DashboardServer dashboardServer = new DashboardServer();
        DashboardPage dashboardPage = new DashboardPage(CHROMIUM, dashboardServer.adminPort())) {
      dashboardPage.shows("#live", "Live");
      dashboardPage.page.keyboard().press("4");
      assertThat(dashboardPage.focused()).isEqualTo("rules");
      dashboardPage.page.keyboard().press("?");
      dashboardPage.shows("dialog[open]", "Find a rule");
      for (int i = 0; i < 3; i++) {
        dashboardPage.page.keyboard().press("Tab");
        assertThat(dashboardPage.page.evaluate(BEHIND_THE_DIALOG)).isEqualTo(false);
      }
      dashboardPage.page.keyboard().press("Escape");
      dashboardPage.page.keyboard().press("t");
      assertThat(dashboardPage.page.locator("html").getAttribute("data-theme")).isEqualTo("light");
      dashboardPage.page.keyboard().press("t");
      assertThat(dashboardPage.page.locator("html").getAttribute("data-theme")).isEqualTo("dark");
    }
  }
}
