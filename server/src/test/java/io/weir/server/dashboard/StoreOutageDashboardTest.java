package io.weir.server.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.ColorScheme;
import io.weir.rig.RedisProcess;
import io.weir.rig.Until;
import io.weir.server.admin.StoreLines;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A real Redis is killed and started again while the dashboard is open. */
@Tag("browser")
@Tag("slow")
class StoreOutageDashboardTest {
  private static final String RULES =
      """
      rules:
        - { name: all, limit: 1000000 per hour, on_failure: allow }
        - { name: api, match: { path: /api/** }, per: user, limit: 99 per hour, on_failure: allow }
        - { name: login, match: { path: /login }, per: user, limit: 99 per hour, on_failure: deny }
        - { name: search, match: { path: /search }, limit: 99 per hour, on_failure: error }
      """;
  private static final String SUM =
      "330 rule decisions without it: 280 allowed, 30 refused, 20 returned 503";

  private static final String SHOW =
      "document.getElementById('%s').scrollIntoView({behavior: 'instant'})";

  private static final String IS_BELOW =
      "document.querySelector('#%s h2').getBoundingClientRect().top"
          + " >= document.getElementById('outage').getBoundingClientRect().bottom";

  @RegisterExtension private static final Chromium CHROMIUM = new Chromium();

  private static long fallbacks(int port) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics")).build();
    String page =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString(UTF_8)).body();
    return page.lines()
        .filter(line -> line.startsWith("weir_fallback_total{"))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  private static void look(Site site, String when, ColorScheme scheme, int width) {
    try (Visit visit = new Visit(CHROMIUM, site.adminPort(), width, 900, scheme)) {
      visit.shows("#outage", "Affected rules");
      visit.shows("#traffic .marks", "rule decisions without it");
      assertThat(visit.page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
          .as("nothing is wider than the screen")
          .isEqualTo(true);
      String name = when + "-" + scheme.name().toLowerCase(Locale.ROOT) + "-" + width;
      visit.pictureOfScreen(name + "-top");
      visit.page.evaluate(SHOW.formatted("traffic"));
      visit.pictureOfScreen(name + "-traffic");
    }
  }

  @Test
  void bannerTileLogAndMetricAgree() throws Exception {
    try (StoreLines lines = new StoreLines();
        RedisProcess redis = RedisProcess.start();
        Site site = new Site(RULES, settings -> settings.store(redis.url() + "?timeout=1s"));
        Visit visit = new Visit(CHROMIUM, site.adminPort())) {
      visit.shows("#well-title", "Health: OK");
      visit.shows("[data-tile=store] .value", "OK");
      assertThat(visit.at("#outage").isVisible()).isFalse();
      site.rush(10, "/api/orders", 30); // one call in 64 is timed
      visit.shows("[data-tile=store] .note", "p50");
      visit.shows("[data-tile=store] .note", "circuit breaker closed");

      redis.kill();
      visit.shows("#well-title", "Health: outage");
      site.rush(10, "/api/orders", 14); // two rules: 280 decisions
      site.rush(10, "/login", 3);
      site.rush(10, "/search", 2);
      visit.shows("#outage", "Outage: Redis " + redis.address() + " cannot be reached");
      visit.shows("#outage", SUM);
      visit.shows("#outage", "Affected rules: all, api, login and 1 more.");
      visit.shows("[data-tile=store] .value", "Outage");
      visit.shows("[data-tile=store] .note", "no answers");
      visit.shows("[data-tile=store] .note", "circuit breaker open");
      visit.reads("[data-tile=fallback] .value", 330);
      visit.shows("[data-tile=fallback] .note", "20 returned 503");
      for (String panel : List.of("traffic", "who", "rules", "whatif", "changes")) {
        visit.page.evaluate(SHOW.formatted(panel));
        Until.holds("the banner is seen above " + panel, () -> isOnScreen(visit));
        assertThat(visit.page.evaluate(IS_BELOW.formatted(panel)))
            .as("the banner hides no title: " + panel)
            .isEqualTo(true);
      }
      site.write(RULES.replace("1000000", "1000001"));
      visit.shows("#traffic .marks", "Reload");
      look(site, "outage", ColorScheme.LIGHT, 1440);
      look(site, "outage", ColorScheme.DARK, 390);

      redis.startAgain();
      String last = lines.await("answers again");
      assertThat(last).contains(SUM);
      assertThat(fallbacks(site.adminPort())).isEqualTo(330);
      visit.shows("#well-title", "Health: degraded");
      visit.shows("#outage", "Degraded: the store answers again since");
      visit.shows("#outage", SUM);
      visit.shows("[data-tile=store] .value", "Degraded");
      visit.reads("[data-tile=fallback] .value", 330);
      marksAreReadInEachRange(visit);
      look(site, "recovered", ColorScheme.DARK, 1440);
      look(site, "recovered", ColorScheme.LIGHT, 390);
    }
  }

  private static boolean isOnScreen(Visit visit) {
    return visit
        .page
        .evaluate(
            "(() => { const box = document.getElementById('outage').getBoundingClientRect();"
                + " const top = document.elementFromPoint(box.x + box.width / 2, box.y + 8);"
                + " return box.top >= 0 && box.bottom <= innerHeight"
                + " && document.getElementById('outage').contains(top); })()")
        .equals(true);
  }

  private static void marksAreReadInEachRange(Visit visit) {
    for (String range : List.of("1 hour", "24 hours", "5 min")) {
      visit.press("#traffic", range);
      visit.shows("#traffic .marks", "330 rule decisions without it");
      visit.shows("#traffic .marks", "Reload");
      Locator plot = visit.at("#traffic .plot");
      plot.focus();
      Until.holds(
          "arrow keys read the outage, range " + range,
          () -> {
            plot.press("End");
            for (int i = 0; i < 90 && !isOutageRead(visit); i++) {
              plot.press("ArrowLeft");
            }
            return isOutageRead(visit);
          });
    }
  }

  private static boolean isOutageRead(Visit visit) {
    return visit.page.locator("#traffic [aria-live]").allTextContents().stream()
        .anyMatch(text -> text.contains("Outage of ") && text.contains(" to "));
  }
}
