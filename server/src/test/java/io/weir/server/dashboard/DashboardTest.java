package io.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.WaitForSelectorState;
import io.weir.rig.Until;
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
    try (Site site = new Site();
        Visit visit = new Visit(CHROMIUM, site.adminPort())) {
      visit.shows("#live", "Live");
      visit.shows("#traffic .empty", "curl -i http://127.0.0.1:" + site.gatewayPort() + "/");
      visit.page.evaluate(REMEMBER_THE_MOST);

      site.rush(40, "/api/orders", 12); // 5 of each are allowed
      site.rush(10, "/search/shoes", 4); // 1 of each would be refused
      site.call("one", "/export", 6); // 1 goes, 3 wait, 2 are refused
      site.call("one", "/elsewhere", 7);
      assertThat(site.refused).hasValue(40 * 7 + 2);

      String total = "[data-tile=total] ";
      visit.reads(total + "[data-number=denied]", 40 * 7 + 2);
      visit.reads(total + "[data-number=allowed]", 40 * 5 + 10 * 4 + 1);
      visit.reads(total + "[data-number=shadow_denied]", 10);
      visit.reads(total + "[data-number=delayed]", 3);
      visit.reads(total + "[data-number=unmatched]", 7);
      visit.reads("[data-tile=refused] [data-number=denied]", 40 * 7 + 2);

      visit.reads("#traffic [data-total=denied]", 40 * 7 + 2);
      visit.reads("#traffic [data-total=allowed]", 40 * 5 + 10 * 4 + 1);
      visit.reads("#traffic [data-total=shadow_denied]", 10);
      visit.reads("#traffic [data-total=delayed]", 3);
      visit.reads("#traffic [data-total=unmatched]", 7);

      visit.shows("tr[data-rule=api]", "200");
      visit.shows("tr[data-rule=api]", "280");
      visit.shows("tr[data-rule=api]", "58 %");
      visit.shows("tr[data-rule=search]", "shadow");
      visit.shows("tr[data-rule=idle]", "0 / min");

      for (int i = 0; i < 40; i++) { // seen as it happens, in whatever part of a second
        site.call("user-%03d".formatted(i), "/api/orders", 1);
        visit.page.waitForTimeout(100);
      }
      visit.reads(total + "[data-number=denied]", 40 * 8 + 2);
      visit.reads("#traffic [data-total=denied]", 40 * 8 + 2);
      assertThat(visit.page.evaluate("most")).as("nothing was shown twice").isEqualTo(40 * 8 + 2);
      visit.picture("numbers");
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
    try (Site site = new Site(rules, settings -> settings);
        Visit visit = new Visit(CHROMIUM, site.adminPort())) {
      site.call("one", "/a", 100);
      assertThat(site.refused).hasValue(50);
      visit.reads("[data-tile=total] [data-number=denied]", 50);
      visit.reads("[data-tile=total] [data-number=allowed]", 50);
      visit.reads("[data-tile=total] [data-number=shadow_denied]", 20);
      visit.reads("[data-tile=refused] [data-number=denied]", 50);
      visit.shows("[data-tile=refused] .value", "50 %");
      visit.shows("[data-tile=traffic] .note", "100 in the last minute");
      visit.reads("#traffic [data-total=denied]", 50);
      visit.shows("#traffic .answer", "100 requests");
      visit.shows("#traffic .answer", "50 % refused");

      visit.press("#traffic", "By rule");
      visit.reads("#traffic [data-total=tight]", 100);
      visit.reads("#traffic [data-total=wide]", 50);
      visit.shows("#traffic .body", "a request counts once in every rule that applied");
    }
  }

  @Test
  void theChartIsByOutcomeOrByRuleOverThreeRanges() {
    try (Site site = new Site();
        Visit visit = new Visit(CHROMIUM, site.adminPort())) {
      site.rush(4, "/api/orders", 6);
      site.rush(4, "/search/shoes", 2);
      visit.reads("#traffic [data-total=denied]", 4);
      for (String range : new String[] {"1 hour", "24 hours", "5 min"}) {
        visit.press("#traffic", range);
        visit.reads("#traffic [data-total=denied]", 4);
      }
      visit.press("#traffic", "By rule");
      visit.reads("#traffic [data-total=api]", 24);
      visit.reads("#traffic [data-total=search]", 8);
      visit.press("#traffic", "Refused only");
      visit.reads("#traffic [data-total=api]", 4);
      visit.press("#traffic", "By outcome");

      Locator rule = visit.at("#traffic input[role=combobox]");
      rule.fill("sea");
      visit.at("#traffic [role=option]:has-text('search')").waitFor();
      rule.press("Enter");
      visit.reads("#traffic [data-total=allowed]", 8);

      Locator plot = visit.at("#traffic .plot");
      plot.focus();
      plot.press("ArrowLeft");
      assertThat(visit.text("#traffic .tip")).isNotBlank();
      Locator legend = visit.at("#traffic .legend button");
      legend.click();
      assertThat(legend.getAttribute("aria-pressed")).isEqualTo("false");
    }
  }

  @Test
  void aCallerIsSeenAndHelped() {
    try (Site site = new Site();
        Visit visit = new Visit(CHROMIUM, site.adminPort())) {
      site.call("a-busy-customer", "/api/orders", 30);
      site.call("another-customer", "/api/orders", 7);
      Locator first = visit.at("ol[aria-label='Most refused'] button");
      Until.holds(
          "the busiest is first, with digits that tell it from others of that mask",
          () -> first.innerText().matches("(?s)a-…er [0-9a-f]{4}\n25.*"));
      String digits = first.innerText().substring("a-…er ".length(), "a-…er 1234".length());
      first.click();
      visit.shows("dialog.sheet code", digits);

      Locator sheet = visit.at("dialog.sheet");
      visit.shows("dialog.sheet h2", "a-…er");
      visit.shows("dialog.sheet .state", "Next request is refused");
      visit.shows("dialog.sheet .state", "0 of 5 left");
      visit.reads("dialog.sheet [data-total=denied]", 25);
      visit.reads("dialog.sheet [data-total=allowed]", 5);
      visit.picture("caller");

      sheet.getByLabel("Permits to give").fill("2");
      visit.press("dialog.sheet", "Grant…");
      visit.shows("dialog.sheet .actions", "Give this caller 2 permits?");
      visit.press("dialog.sheet", "Cancel");
      assertThat(visit.text("dialog.sheet .state")).contains("0 of 5 left");
      visit.press("dialog.sheet", "Grant…");
      visit.press("dialog.sheet", "Grant");
      visit.shows("dialog.sheet .told", "Granted 2 permits.");
      visit.shows("dialog.sheet .state", "2 of 5 left");

      visit.press("dialog.sheet", "Reset…");
      visit.press("dialog.sheet", "Reset");
      visit.shows("dialog.sheet .state", "5 of 5 left");

      visit.page.keyboard().press("Escape");
      sheet.waitFor(new Locator.WaitForOptions().setState(WaitForSelectorState.DETACHED));
      int before = site.allowed.get();
      site.call("a-busy-customer", "/api/orders", 6);
      assertThat(site.allowed.get() - before).isEqualTo(5);
    }
  }

  @Test
  void anotherLimitIsTriedOnWhatWasAskedFor() {
    try (Site site = new Site();
        Visit visit = new Visit(CHROMIUM, site.adminPort())) {
      site.rush(20, "/api/orders", 10);
      visit.shows("#rules", "api");
      visit.at("tr[data-rule=api] button:has-text('What if')").click();
      visit.shows("#whatif .cards", "Requests that would be refused");
      visit.shows("#whatif .snippet", "rule 'api'");

      Locator slider = visit.at("#whatif input[type=range]");
      slider.focus();
      slider.press("Home");
      String strict = visit.at("#whatif .exact input[type=text]").inputValue();
      Until.holds("the snippet follows", () -> visit.text("#whatif .snippet").contains(strict));
      slider.press("End");
      Until.holds(
          "with the widest limit nobody is refused",
          () -> visit.text("#whatif .cards .value").startsWith("0 %"));
      visit.press("#whatif", "Copy the limit");
      visit.shows("#whatif .export", "Copied.");
      assertThat(visit.page.evaluate("navigator.clipboard.readText()").toString())
          .contains("rule 'api'")
          .contains("limit: {")
          .contains(visit.at("#whatif .exact input[type=text]").inputValue().split(" ")[0]);
      visit.picture("what-if");
    }
  }

  /** A page opened before the traffic shows it too, and a changed limit does not distort it. */
  @Test
  void whatIfUpdatesAsDemandArrives() {
    try (Site site = new Site();
        Visit visit = new Visit(CHROMIUM, site.adminPort())) {
      visit.shows("#whatif .empty", "No demand is recorded");
      site.rush(3, "/api/orders", 8);
      visit.at("tr[data-rule=api] button:has-text('What if')").click();
      visit.shows("#whatif .cards", "9 of 24 requests");
      Locator slider = visit.at("#whatif input[type=range]");
      slider.focus();
      site.rush(3, "/api/orders", 2);
      visit.shows("#whatif .cards", "15 of 30 requests");
      visit.at("#whatif .export button:enabled").waitFor();

      site.write(Site.RULES.replace("5 per hour, burst: 5", "7 per hour, burst: 7"));
      visit.shows("#whatif .snippet", "7 per hour");
      visit.shows("#whatif .cards", "9 of 30 requests");
      slider.press("Home");
      String strict = visit.at("#whatif .exact input[type=text]").inputValue();
      visit.shows("#whatif .snippet", strict);
      site.rush(3, "/api/orders", 1);
      visit.shows("#whatif .cards", "of 33 requests");
      assertThat(visit.text("#whatif .snippet")).as("it is still tried").contains(strict);
    }
  }

  @Test
  void updatesDoNotInterruptTyping() {
    try (Site site = new Site();
        Visit visit = new Visit(CHROMIUM, site.adminPort())) {
      site.rush(3, "/api/orders", 8);
      visit.shows("#whatif .cards", "9 of 24 requests");
      AtomicInteger asked = new AtomicInteger();
      visit.page.onRequest(
          request -> {
            if (request.url().contains("/v1/what-if")) {
              asked.incrementAndGet();
            }
          });
      Locator field = visit.at("#whatif .exact input[type=text]");
      field.fill("12 p");
      visit.page.waitForTimeout(14_000);
      assertThat(asked).hasValue(0);
      assertThat(field.inputValue()).isEqualTo("12 p");
      field.fill("12 per hour");
      field.press("Enter");
      visit.shows("#whatif .snippet", "12 per hour");
    }
  }

  /** Whatever the algorithm: the slider asks for a rate, and the server answers for it. */
  @ParameterizedTest
  @CsvSource({
    "search, sliding-log, ''",
    "export, leaky-bucket, queue: ",
    "burst, , burst: ",
    "typed, , burst: 7",
  })
  void theSliderWorksForEveryRule(String rule, String algorithm, String size) {
    String rules =
        Site.RULES
            + """
              - { name: burst, match: { path: /burst }, per: user, limit: { rate: 2 per hour, burst: 6 } }
              - { name: typed, match: { path: /typed }, per: user, limit: 2 per hour }
            """;
    try (Site site = new Site(rules, settings -> settings);
        Visit visit = new Visit(CHROMIUM, site.adminPort())) {
      site.rush(10, rule.equals("search") ? "/search/a" : "/" + rule, 10);
      visit.shows("#rules", rule);
      visit.at("tr[data-rule=" + rule + "] button:has-text('What if')").click();
      visit.shows("#whatif .snippet", "rule '" + rule + "'");
      if (rule.equals("typed")) {
        visit.at("#whatif .exact input[type=number]").fill("7");
        visit.shows("#whatif .snippet", "burst: 7");
      }
      Locator slider = visit.at("#whatif input[type=range]");
      slider.focus();
      for (String key : List.of("End", "Home", "End", "ArrowLeft")) {
        slider.press(key);
        String rate = visit.at("#whatif .exact input[type=text]").inputValue();
        assertThat(rate).matches("\\d+ per [a-z]+");
        visit.shows("#whatif .snippet", "rate: " + rate);
        visit.at("#whatif .export button:enabled").waitFor();
      }
      assertThat(visit.text("#whatif .problem")).isEmpty();
      assertThat(visit.text("#whatif .snippet")).contains(algorithm == null ? "" : algorithm, size);

      visit.at("#whatif .exact input[type=text]").fill("nonsense");
      visit.at("#whatif .exact input[type=text]").press("Enter");
      visit.shows("#whatif .problem", "'limit' must be");
      visit.at("#whatif .export button:disabled").waitFor();
      visit.forgive("400");
    }
  }

  /** A server that plays for others already is asked again, and the answer is shown. */
  @Test
  void aServerThatIsBusyIsAskedAgain() {
    try (Site site = new Site();
        Visit visit = new Visit(CHROMIUM, site.adminPort())) {
      site.call("somebody", "/api/x", 9);
      visit.shows("#live", "Live");
      AtomicInteger refused = new AtomicInteger();
      visit.page.route(
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
      visit.page.reload();
      visit.shows("#whatif .cards", "of 9 requests");
      assertThat(refused.get()).isGreaterThan(2);
      assertThat(visit.text("#whatif .problem")).isEmpty();
      visit.forgive("503");
    }
  }

  @Test
  void aReloadIsShownWithWhatItChanged() {
    try (Site site = new Site();
        Visit visit = new Visit(CHROMIUM, site.adminPort())) {
      visit.shows("#changes", "Started");
      site.write(Site.RULES.replace("5 per hour, burst: 5", "6 per hour, burst: 9"));
      visit.shows("#changes .changed", "burst 9");
      visit.shows("tr[data-rule=api]", "burst 9");
      site.write(Site.RULES.replace("per: user", "pear: user"));
      visit.shows("#changes .rejected", "pear");
      visit.shows("#well .answer", "were rejected");
      site.write(Site.RULES);
      Until.holds("well again", () -> !visit.text("#well .answer").contains("rejected"));
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
    try (Site site = new Site(rules.toString(), settings -> settings);
        Visit visit = new Visit(CHROMIUM, site.adminPort())) {
      site.call("somebody", "/t9998", 3);
      visit.shows("#rules .pages", "of 10,000 rules");
      visit.shows("#rules tbody tr", "tenant-09998"); // the most refused is first
      visit.press("#rules", "Next");
      visit.shows("#rules .pages", "16–30");
      visit.press("#rules", "Rule");
      visit.shows("#rules tbody tr", "tenant-00000");
      visit.page.keyboard().press("/");
      visit.page.keyboard().type("09997");
      visit.shows("#rules .pages", "1–1 of 1 rule");
      visit.shows("#rules tbody tr", "tenant-09997");
    }
  }

  @Test
  void aServerThatGoesIsMissedAndFoundAgain() {
    try (Site site = new Site();
        Visit visit = new Visit(CHROMIUM, site.adminPort())) {
      visit.shows("#live", "Live");
      var same = site.leave();
      visit.shows("#banner", "The server does not answer");
      visit.shows("#live", "Disconnected");
      assertThat(visit.page.locator("body[data-stale]").count()).isEqualTo(1);
      site.comeBack(same);
      visit.page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Try now")).click();
      visit.shows("#live", "Live");
      assertThat(visit.at("#banner").isVisible()).isFalse();
      visit.forgive(
          "ERR_CONNECTION_REFUSED",
          "ERR_INCOMPLETE_CHUNKED_ENCODING",
          "ERR_CONNECTION_RESET",
          "ERR_EMPTY_RESPONSE");
    }
  }

  @Test
  void itIsUsedByKeyboard() {
    try (Site site = new Site();
        Visit visit = new Visit(CHROMIUM, site.adminPort())) {
      visit.shows("#live", "Live");
      visit.page.keyboard().press("4");
      assertThat(visit.focused()).isEqualTo("rules");
      visit.page.keyboard().press("?");
      visit.shows("dialog[open]", "Find a rule");
      for (int i = 0; i < 3; i++) {
        visit.page.keyboard().press("Tab");
        assertThat(visit.page.evaluate(BEHIND_THE_DIALOG)).isEqualTo(false);
      }
      visit.page.keyboard().press("Escape");
      visit.page.keyboard().press("t");
      assertThat(visit.page.locator("html").getAttribute("data-theme")).isEqualTo("light");
      visit.page.keyboard().press("t");
      assertThat(visit.page.locator("html").getAttribute("data-theme")).isEqualTo("dark");
    }
  }
}
