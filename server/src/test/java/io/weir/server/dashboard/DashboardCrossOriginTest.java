package io.weir.server.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A page of another origin, in a real browser: it gets nothing, but may link to the dashboard. */
@Tag("browser")
@Tag("slow")
class DashboardCrossOriginTest {
  /** Tries all that a page can do across origins; each attempt reports its result. */
  private static final String ATTEMPTS =
      """
      async (admin) => {
        const result = {};
        const get = (path, options) =>
          fetch(admin + path, options).then((r) => `read ${r.type}`, () => "nothing");
        const load = (tag, path) =>
          new Promise((done) => {
            const element = document.createElement(tag);
            element.onload = () => done("loaded");
            element.onerror = () => done("nothing");
            element.src = admin + path;
            document.body.append(element);
          });
        for (const path of ["v1/overview", "v1/top", "metrics", "health/live", "assets/js/main.js"]) {
          result[`blind ${path}`] = await get(path, { mode: "no-cors" });
          result[`open ${path}`] = await get(path, {});
          result[`script ${path}`] = await load("script", path);
          result[`picture ${path}`] = await load("img", path);
        }
        return result;
      }
      """;

  @RegisterExtension private static final Chromium CHROMIUM = new Chromium();

  @Test
  void getsNothingButMayLinkToThePage() throws Exception {
    HttpServer other = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    try (DashboardServer dashboardServer = new DashboardServer();
        BrowserContext context = CHROMIUM.browser.newContext()) {
      String admin = "http://127.0.0.1:" + dashboardServer.adminPort() + "/";
      byte[] html =
          ("<!DOCTYPE html><title>other</title><body><a href='" + admin + "'>there</a>")
              .getBytes(UTF_8);
      other.createContext(
          "/",
          exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "text/html");
            exchange.sendResponseHeaders(200, html.length);
            exchange.getResponseBody().write(html);
            exchange.close();
          });
      other.start();
      // Another port of the same host is the same site, another name for it is another site.
      for (String host : List.of("127.0.0.1", "localhost")) {
        Page page = context.newPage();
        page.setDefaultTimeout(60_000);
        page.navigate("http://" + host + ":" + other.getAddress().getPort() + "/");
        Map<?, ?> result = (Map<?, ?>) page.evaluate(ATTEMPTS, admin);
        assertThat(result).hasSize(20);
        assertThat(result.values()).as(host + ": " + result).allMatch("nothing"::equals);

        page.locator("a").click();
        page.waitForURL(admin);
        assertThat(page.title()).contains("Weir");
        page.close();
      }
    } finally {
      other.stop(0);
    }
  }
}
