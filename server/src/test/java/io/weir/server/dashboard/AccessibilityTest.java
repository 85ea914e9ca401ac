package io.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.Rule;
import com.microsoft.playwright.options.ColorScheme;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The dashboard is accessible: in both themes, on a desktop and on a phone. */
@Tag("browser")
@Tag("slow")
class AccessibilityTest {
  private static final Set<String> GRAVE = Set.of("serious", "critical");

  @RegisterExtension private static final Chromium CHROMIUM = new Chromium();

  private static DashboardServer dashboardServer;

  @BeforeAll
  static void open() {
    dashboardServer = new DashboardServer();
  }

  @AfterAll
  static void close() {
    if (dashboardServer != null) {
      dashboardServer.close();
    }
  }

  @ParameterizedTest
  @CsvSource({"LIGHT, 1440, 900", "DARK, 1440, 900", "LIGHT, 360, 780", "DARK, 360, 780"})
  void pageHasNoSeriousViolation(ColorScheme scheme, int width, int height) {
    dashboardServer.rush(12, "/api/orders", 9);
    dashboardServer.rush(5, "/search/shoes", 5);
    dashboardServer.call("one", "/export", 4);
    try (DashboardPage dashboardPage =
        new DashboardPage(CHROMIUM, dashboardServer.adminPort(), width, height, scheme)) {
      dashboardPage.shows("#live", "Live");
      dashboardPage.shows("tr[data-rule=api]", "5 per hour");
      dashboardPage.at("ol[aria-label='Most refused'] button").waitFor();
      dashboardPage.at("#whatif .snippet").waitFor();
      assertThat(grave(dashboardPage)).isEmpty();
      assertThat(dashboardPage.page.evaluate("document.documentElement.scrollWidth - innerWidth"))
          .as("nothing sticks out")
          .isEqualTo(0);
      dashboardPage.picture("page-" + scheme.name().toLowerCase(Locale.ROOT) + "-" + width);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LIGHT", "DARK"})
  void dialogsHaveNoSeriousViolation(ColorScheme scheme) {
    dashboardServer.rush(3, "/api/orders", 9);
    try (DashboardPage dashboardPage =
        new DashboardPage(CHROMIUM, dashboardServer.adminPort(), 360, 780, scheme)) {
      dashboardPage.at("ol[aria-label='Most refused'] button").click();
      dashboardPage.shows("dialog.sheet .state", "of 5 left");
      assertThat(grave(dashboardPage)).isEmpty();
      dashboardPage.page.keyboard().press("Escape");
      dashboardPage.page.keyboard().press("?");
      dashboardPage.shows("dialog[open]", "Keyboard");
      assertThat(grave(dashboardPage)).isEmpty();
    }
  }

  private static List<String> grave(DashboardPage dashboardPage) {
    return new AxeBuilder(dashboardPage.page)
        .analyze().getViolations().stream()
            .filter(rule -> GRAVE.contains(rule.getImpact()))
            .map(AccessibilityTest::describe)
            .toList();
  }

  private static String describe(Rule rule) {
    return rule.getId() + ": " + rule.getHelp() + " " + rule.getNodes().get(0).getTarget();
  }
}
