package io.weir.server.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.ColorScheme;
import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import io.weir.server.admin.RedisLogCapture;
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

  private static void look(
      DashboardServer dashboardServer, String when, ColorScheme scheme, int width) {
    try (DashboardPage dashboardPage =
        new DashboardPage(CHROMIUM, dashboardServer.adminPort(), width, 900, scheme)) {
      dashboardPage.shows("#outage", "Affected rules");
      dashboardPage.shows("#traffic .marks", "rule decisions without it");
      assertThat(dashboardPage.page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
          .as("nothing is wider than the screen")
          .isEqualTo(true);
      String name = when + "-" + scheme.name().toLowerCase(Locale.ROOT) + "-" + width;
      dashboardPage.pictureOfScreen(name + "-top");
      dashboardPage.page.evaluate(SHOW.formatted("traffic"));
      dashboardPage.pictureOfScreen(name + "-traffic");
    }
  }

  @Test
  void bannerTileLogAndMetricAgree() throws Exception {
    try (RedisLogCapture lines = new RedisLogCapture();
        RedisProcess redis = RedisProcess.start();
        DashboardServer dashboardServer =
            new DashboardServer(RULES, settings -> settings.store(redis.url() + "?timeout=1s"));
        DashboardPage dashboardPage = new DashboardPage(CHROMIUM, dashboardServer.adminPort())) {
      dashboardPage.shows("#well-title", "Health: OK");
      dashboardPage.shows("[data-tile=store] .value", "OK");
      assertThat(dashboardPage.at("#outage").isVisible()).isFalse();
      dashboardServer.rush(10, "/api/orders", 30);
      Await.holds(
          "the tile shows a latency: one call in 64 is timed, at random",
          () -> {
            dashboardServer.rush(1, "/other", 50);
            return dashboardPage.text("[data-tile=store] .note").contains("p50");
          });
      dashboardPage.shows("[data-tile=store] .note", "circuit breaker closed");

      redis.kill();
      dashboardPage.shows("#well-title", "Health: outage");
      dashboardServer.rush(10, "/api/orders", 14); // two rules: 280 decisions
      dashboardServer.rush(10, "/login", 3);
      dashboardServer.rush(10, "/search", 2);
      dashboardPage.shows("#outage", "Outage: Redis " + redis.address() + " cannot be reached");
      dashboardPage.shows("#outage", SUM);
      dashboardPage.shows("#outage", "Affected rules: all, api, login and 1 more.");
      dashboardPage.shows("[data-tile=store] .value", "Outage");
      dashboardPage.shows("[data-tile=store] .note", "no answers");
      dashboardPage.shows("[data-tile=store] .note", "circuit breaker open");
      dashboardPage.reads("[data-tile=fallback] .value", 330);
      dashboardPage.shows("[data-tile=fallback] .note", "20 returned 503");
      for (String panel : List.of("traffic", "who", "rules", "whatif", "changes")) {
        dashboardPage.page.evaluate(SHOW.formatted(panel));
        Await.holds("the banner is seen above " + panel, () -> isOnScreen(dashboardPage));
        assertThat(dashboardPage.page.evaluate(IS_BELOW.formatted(panel)))
            .as("the banner hides no title: " + panel)
            .isEqualTo(true);
      }
      dashboardServer.write(RULES.replace("1000000", "1000001"));
      dashboardPage.shows("#traffic .marks", "Reload");
      look(dashboardServer, "outage", ColorScheme.LIGHT, 1440);
      look(dashboardServer, "outage", ColorScheme.DARK, 390);

      redis.startAgain();
      String last = lines.await("answers again");
      assertThat(last).contains(SUM);
      assertThat(fallbacks(dashboardServer.adminPort())).isEqualTo(330);
      dashboardPage.shows("#well-title", "Health: degraded");
      dashboardPage.shows("#outage", "Degraded: the store answers again since");
      dashboardPage.shows("#outage", SUM);
      dashboardPage.shows("[data-tile=store] .value", "Degraded");
      dashboardPage.reads("[data-tile=fallback] .value", 330);
      marksAreReadInEachRange(dashboardPage);
      look(dashboardServer, "recovered", ColorScheme.DARK, 1440);
      look(dashboardServer, "recovered", ColorScheme.LIGHT, 390);
    }
  }

  private static boolean isOnScreen(DashboardPage dashboardPage) {
    return dashboardPage
        .page
        .evaluate(
            "(() => { const box = document.getElementById('outage').getBoundingClientRect();"
                + " const top = document.elementFromPoint(box.x + box.width / 2, box.y + 8);"
                + " return box.top >= 0 && box.bottom <= innerHeight"
                + " && document.getElementById('outage').contains(top); })()")
        .equals(true);
  }

  private static void marksAreReadInEachRange(DashboardPage dashboardPage) {
    for (String range : List.of("1 hour", "24 hours", "5 min")) {
      dashboardPage.press("#traffic", range);
      dashboardPage.shows("#traffic .marks", "330 rule decisions without it");
      dashboardPage.shows("#traffic .marks", "Reload");
      Locator plot = dashboardPage.at("#traffic .plot");
      plot.focus();
      Await.holds(
          "arrow keys read the outage, range " + range,
          () -> {
            plot.press("End");
            for (int i = 0; i < 90 && !isOutageRead(dashboardPage); i++) {
              plot.press("ArrowLeft");
            }
            return isOutageRead(dashboardPage);
          });
    }
  }

  private static boolean isOutageRead(DashboardPage dashboardPage) {
    return dashboardPage.page.locator("#traffic [aria-live]").allTextContents().stream()
        .anyMatch(text -> text.contains("Outage of ") && text.contains(" to "));
  }
}
