package io.weir.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** However a path is spelled: what the container serves is what was limited. */
@ParameterizedClass
@EnumSource(Container.class)
class PathNormalizationTest {
  private static final String RULES =
      """
      rules:
        - { name: admin, match: { path: /shop/admin/** }, limit: 1000 per day }
        - { name: other, match: { path: /shop/** }, limit: 1000 per day }
      """;

  private final Container container;
  private Container.Running app;

  PathNormalizationTest(Container container) {
    this.container = container;
  }

  @BeforeEach
  void start() throws Exception {
    app =
        container.start(
            "/shop",
            null,
            context -> {
              Application.add(context, "weir", Application.filter(RULES));
              Application.serve(
                  context,
                  "/admin/*",
                  (request, response) -> response.getWriter().write("admin served"));
              Application.serve(
                  context, "/*", (request, response) -> response.getWriter().write("served"));
            });
  }

  @AfterEach
  void stop() throws Exception {
    app.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/shop/admin",
        "/shop/admin/",
        "/shop/admin/x",
        "/shop//admin",
        "//shop/admin",
        "/shop/./admin",
        "/shop/x/../admin",
        "/shop/x/..;/admin",
        "/shop/x/..;a=b/admin",
        "/shop/;/admin",
        "/shop/;x=1/admin",
        "/shop/%61dmin",
        "/shop/%2561dmin",
        "/shop/admin;jsessionid=1",
        "/shop/admin;x=1/y",
        "/shop;x/admin",
        "/shop/x/%2e%2e/admin",
        "/shop/x/%2E./admin/y",
        "/shop/x/%2e%2e;/admin",
        "/shop/x%2f..%2fadmin",
        "/shop/x/..%2fadmin",
        "/shop%2fadmin",
        "/shop/admin%2f",
        "/shop/x\\..\\admin",
        "/shop/x%5c..%5cadmin",
        "/shop/admin%00",
        "/shop/admin%20",
        "/shop/admin%3bx",
        "/shop/%c0%ae%c0%ae/admin",
        "/x/../shop/admin",
        "/shop/ADMIN",
        "/shop/admin?/../other",
        "/shop/admin%3f/../other",
        "/shop/admin%23/../other",
        "http://shop.example/shop/admin",
        "http://shop.example//shop/x/../admin",
      })
  void limitsTheServletThatServes(String target) throws Exception {
    RawConnection.Response response = RawConnection.get(app.port(), target);
    if (response.body().equals("admin served")) {
      assertThat(response.header("RateLimit-Policy")).contains("\"admin\"");
    } else if (response.body().equals("served")) {
      assertThat(response.header("RateLimit-Policy")).doesNotContain("\"admin\"");
    } else {
      assertThat(response.status()).isGreaterThanOrEqualTo(400);
    }
  }

  @Test
  void pathsReachTheServlet() throws Exception {
    assertThat(RawConnection.get(app.port(), "/shop/admin").body()).isEqualTo("admin served");
    assertThat(RawConnection.get(app.port(), "/shop/admin;jsessionid=1").body())
        .isEqualTo("admin served");
    assertThat(RawConnection.get(app.port(), "/shop/%61dmin").body()).isEqualTo("admin served");
  }

  @Test
  void containerRejectsHugeHeaders() throws Exception {
    assertThat(RawConnection.get(app.port(), "/shop/a", "X-Large: " + "x".repeat(7000)).status())
        .isEqualTo(200);
    assertThat(RawConnection.get(app.port(), "/shop/a", "X-Large: " + "x".repeat(40_000)).status())
        .isBetween(400, 431);
    assertThat(RawConnection.get(app.port(), "/shop/a").status()).isEqualTo(200);
  }
}
