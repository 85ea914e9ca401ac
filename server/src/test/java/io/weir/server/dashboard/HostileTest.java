package io.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import io.weir.rig.Await;
import io.weir.server.ServerSettings;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Hostile names are shown as text to authorized users, and have no effect. */
@Tag("browser")
@Tag("slow")
class HostileTest {
  private static final List<String> NAMES =
      List.of(
          "<img src=x onerror=alert(1)>",
          "\"><script>alert(2)</script>",
          "javascript:alert(3)",
          "</textarea><svg/onload=alert(4)>",
          "{{constructor.constructor('alert(5)')()}}",
          "\u202egnp.exe",
          "line\nbreak\ttab",
          "x".repeat(300));

  private static final int KEPT = 60; // minimum kept of a long key

  @RegisterExtension private static final Chromium CHROMIUM = new Chromium();

  @Test
  void keysAreMaskedUnlessRevealedWithToken() {
    ServerSettings.Secret token = new ServerSettings.Secret("s3cret");
    try (DashboardServer dashboardServer =
            new DashboardServer(DashboardServer.RULES, settings -> settings.adminToken(token));
        DashboardPage dashboardPage = new DashboardPage(CHROMIUM, dashboardServer.adminPort())) {
      NAMES.forEach(name -> dashboardServer.call(name, "/api/x", 9));

      dashboardPage.shows("dialog[open]", "Admin token required");
      signIn(dashboardPage, "wrong");
      dashboardPage.shows("dialog[open]", "did not accept");
      signIn(dashboardPage, "s3cret");
      dashboardPage.shows("#live", "Live");

      Locator callers = dashboardPage.at("ol[aria-label='Most refused']");
      Await.holds(
          "everybody is there, masked", () -> callers.locator("button").count() == NAMES.size());
      assertThat(callers.innerText()).contains("<i…)>").doesNotContain("onerror");

      dashboardPage.press("#who", "Show keys in full");
      for (String name : NAMES) {
        String shown =
            name.replace("\u202e", "⟨U+202E⟩").replace("\n", "⟨U+000A⟩").replace("\t", "⟨U+0009⟩");
        String kept = shown.substring(0, Math.min(KEPT, shown.length()));
        Await.holds(name + " is shown", () -> callers.textContent().contains(kept));
      }
      assertThat(callers.locator("img, script, svg").count()).isZero();
      dashboardPage.picture("hostile");

      callers.locator("button", new Locator.LocatorOptions().setHasText("onerror")).click();
      dashboardPage.shows("dialog.sheet h2", NAMES.get(0));
      assertThat(dashboardPage.page.locator("dialog.sheet img, dialog.sheet script").count())
          .isZero();
    }
  }

  private static void signIn(DashboardPage dashboardPage, String token) {
    dashboardPage.at("dialog[open] input").fill(token);
    dashboardPage.press("dialog[open]", "Sign in");
  }
}
