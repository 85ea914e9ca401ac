package io.weir.server.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ScreenshotAnimations;
import io.weir.rig.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A visit to the dashboard. Browser errors, policy violations, requests to other hosts and effects
 * of injected scripts are recorded, and fail the test at the end.
 */
final class DashboardPage implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Path PICTURES = Path.of("target", "dashboard");

  private final Set<String> complaints = new LinkedHashSet<>();
  private final BrowserContext context;
  final Page page;

  DashboardPage(Chromium chromium, int port) {
    this(chromium, port, 1440, 900, ColorScheme.LIGHT);
  }

  DashboardPage(Chromium chromium, int port, int width, int height, ColorScheme scheme) {
    String origin = "http://127.0.0.1:" + port + "/";
    context =
        chromium.browser.newContext(
            new Browser.NewContextOptions()
                .setViewportSize(width, height)
                .setColorScheme(scheme)
                .setPermissions(List.of("clipboard-read", "clipboard-write")));
    context.setDefaultTimeout(30_000);
    page = context.newPage();
    page.onConsoleMessage(
        message -> {
          boolean isSignIn = message.text().contains("401");
          if (List.of("error", "warning").contains(message.type()) && !isSignIn) {
            complaints.add("console: " + message.text());
          }
        });
    page.onPageError(error -> complaints.add("script: " + error));
    page.onDialog(
        dialog -> {
          complaints.add("a script of a stranger: " + dialog.message());
          dialog.dismiss();
        });
    page.onRequest(
        request -> {
          if (!request.url().startsWith(origin) && !request.url().startsWith("data:")) {
            complaints.add("went out: " + request.url());
          }
        });
    page.addInitScript(
        "addEventListener('securitypolicyviolation',"
            + " e => console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI))");
    page.navigate(origin);
  }

  /** The first element. */
  Locator at(String selector) {
    return page.locator(selector).first();
  }

  /** What is written there. */
  String text(String selector) {
    return at(selector).innerText();
  }

  /** Waits until something is written there. */
  void shows(String selector, String words) {
    Await.holds(
        () -> selector + " shows " + words + "; it shows " + page.locator(selector).allInnerTexts(),
        PATIENCE,
        () -> page.locator(selector).count() > 0 && text(selector).contains(words));
  }

  /** Waits until a number is written there. */
  void reads(String selector, long number) {
    String words = String.format(Locale.ROOT, "%,d", number);
    Await.holds(
        () -> selector + " reads " + words + "; it reads " + page.locator(selector).allInnerTexts(),
        PATIENCE,
        () -> page.locator(selector).count() > 0 && text(selector).equals(words));
  }

  /** Presses the button of exactly this name. */
  void press(String selector, String name) {
    Locator.GetByRoleOptions exactly = new Locator.GetByRoleOptions().setName(name).setExact(true);
    at(selector).getByRole(AriaRole.BUTTON, exactly).click();
  }

  /** The id of what has the focus. */
  String focused() {
    return page.evaluate("document.activeElement.id").toString();
  }

  /** These complaints were to be expected. */
  void forgive(String... words) {
    complaints.removeIf(complaint -> List.of(words).stream().anyMatch(complaint::contains));
  }

  /** A picture in {@code target}: of the whole page, or of the dialog before it. */
  void picture(String name) {
    boolean isWhole = page.locator("dialog[open]").count() == 0;
    if (isWhole) {
      page.evaluate("scrollTo({top: 0, behavior: 'instant'})");
    }
    page.screenshot(
        new Page.ScreenshotOptions()
            .setAnimations(ScreenshotAnimations.DISABLED)
            .setFullPage(isWhole)
            .setPath(PICTURES.resolve(name + ".png")));
  }

  /** A picture in {@code target}: of what is on the screen now. */
  void pictureOfScreen(String name) {
    page.screenshot(new Page.ScreenshotOptions().setPath(PICTURES.resolve(name + ".png")));
  }

  /** Nothing was complained of so far. */
  void isClean() {
    assertThat(complaints).isEmpty();
  }

  @Override
  public void close() {
    context.close();
    isClean();
  }
}
