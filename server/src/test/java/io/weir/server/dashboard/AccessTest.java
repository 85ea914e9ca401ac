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
class AccessTest {
  private static final Set<String> GRAVE = Set.of("serious", "critical");

  @RegisterExtension private static final Chromium CHROMIUM = new Chromium();

  private static Site site;

  @BeforeAll
  static void open() {
    site = new Site();
  }

  @AfterAll
  static void close() {
    if (site != null) {
      site.close();
    }
  }

  @ParameterizedTest
  @CsvSource({"LIGHT, 1440, 900", "DARK, 1440, 900", "LIGHT, 360, 780", "DARK, 360, 780"})
  void nothingGraveIsFound(ColorScheme scheme, int width, int height) {
    site.rush(12, "/api/orders", 9);
    site.rush(5, "/search/shoes", 5);
    site.call("one", "/export", 4);
    try (Visit visit = new Visit(CHROMIUM, site.adminPort(), width, height, scheme)) {
      visit.shows("#live", "Live");
      visit.shows("tr[data-rule=api]", "5 per hour");
      visit.at("ol[aria-label='Most refused'] button").waitFor();
      visit.at("#whatif .snippet").waitFor();
      assertThat(grave(visit)).isEmpty();
      assertThat(visit.page.evaluate("document.documentElement.scrollWidth - innerWidth"))
          .as("nothing sticks out")
          .isEqualTo(0);
      visit.picture("page-" + scheme.name().toLowerCase(Locale.ROOT) + "-" + width);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LIGHT", "DARK"})
  void norInWhatOpens(ColorScheme scheme) {
    site.rush(3, "/api/orders", 9);
    try (Visit visit = new Visit(CHROMIUM, site.adminPort(), 360, 780, scheme)) {
      visit.at("ol[aria-label='Most refused'] button").click();
      visit.shows("dialog.sheet .state", "of 5 left");
      assertThat(grave(visit)).isEmpty();
      visit.page.keyboard().press("Escape");
      visit.page.keyboard().press("?");
      visit.shows("dialog[open]", "Keyboard");
      assertThat(grave(visit)).isEmpty();
    }
  }

  private static List<String> grave(Visit visit) {
    return new AxeBuilder(visit.page)
        .analyze().getViolations().stream()
            .filter(rule -> GRAVE.contains(rule.getImpact()))
            .map(AccessTest::tell)
            .toList();
  }

  private static String tell(Rule rule) {
    return rule.getId() + ": " + rule.getHelp() + " " + rule.getNodes().get(0).getTarget();
  }
}
