package io.weir.server.dashboard;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import io.weir.rig.Program;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The system's browser, without a window, for all tests of a class. It downloads nothing and makes
 * no connections of its own.
 */
final class Chromium implements BeforeAllCallback, AfterAllCallback {
  private static final List<String> QUIET =
      List.of(
          "--no-sandbox", // which root cannot have
          "--disable-gpu",
          "--disable-quic",
          "--disable-dev-shm-usage",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync");

  private Playwright playwright;
  Browser browser;

  /** Starts it; without one the test is skipped. */
  @Override
  public void beforeAll(ExtensionContext tests) {
    Optional<Path> program =
        Stream.of("chromium", "chromium-browser", "google-chrome")
            .flatMap(name -> Program.find(name).stream())
            .findFirst();
    assumeTrue(program.isPresent(), "chromium is not installed, and ./test could not install it");
    playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    browser =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(program.get())
                    .setArgs(QUIET)
                    .setTimeout(60_000));
  }

  @Override
  public void afterAll(ExtensionContext tests) {
    if (playwright != null) {
      playwright.close(); // and with it the browser
    }
  }
}
