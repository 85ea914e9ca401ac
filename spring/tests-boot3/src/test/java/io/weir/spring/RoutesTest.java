package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;

/** The application serves exactly the path that was limited, for all spellings of a path. */
class RoutesTest {
  private static final String RULES =
      """
      rules:
        - { name: a, match: { path: /a/** }, limit: 1000 per day }
        - { name: b, match: { path: /b }, limit: 1000 per day }
      """;

  private static final List<String> TARGETS =
      List.of(
          "/a/x",
          "/b",
          "/a/../b",
          "/a/x/../../b",
          "/a/x/../../nothing",
          "/a/%2e%2e/b",
          "/a/%2E./b",
          "/a/..;/b",
          "/a/..;x=1/nothing",
          "/b/../a/x",
          "/nothing/../a/x",
          "/a/x/..",
          "/a/..",
          "//a/x",
          "//b",
          "/a//x",
          "/a//../../b",
          "/./b",
          "/;x/b",
          "/b;x=1",
          "/b/",
          "/%62",
          "/a%2fx",
          "/../b");

  @ParameterizedTest
  @EnumSource(names = {"SERVLET", "REACTIVE"})
  void limitsExactlyTheServedPaths(WebApplicationType type) {
    try (PermitAllApplication.RunningApplication app = PermitAllApplication.start(type, RULES)) {
      assertThat(app.testHttpClient().get("/a/x").body()).isEqualTo("a");
      assertThat(app.testHttpClient().get("/b").body()).isEqualTo("b");
      assertThat(mistaken(app.testHttpClient())).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SERVLET", "REACTIVE"})
  void limitsServedPathsBelowAContextPath(WebApplicationType type) {
    try (PermitAllApplication.RunningApplication app =
        PermitAllApplication.start(
            type,
            RULES.replace("path: /", "path: /app/"),
            "server.servlet.context-path",
            "/app",
            "spring.webflux.base-path",
            "/app")) {
      TestHttpClient testHttpClient = app.testHttpClient();
      assertThat(testHttpClient.get("/app/b").body()).isEqualTo("b");
      List<String> mistaken = new ArrayList<>();
      for (String target : TARGETS) {
        note("/app" + target, testHttpClient.get("/app" + target), mistaken);
      }
      assertThat(mistaken).isEmpty();
    }
  }

  private static List<String> mistaken(TestHttpClient testHttpClient) {
    List<String> mistaken = new ArrayList<>();
    for (String target : TARGETS) {
      note(target, testHttpClient.get(target), mistaken);
    }
    return mistaken;
  }

  private static void note(String target, HttpResponse<String> response, List<String> mistaken) {
    String policy = response.headers().firstValue("RateLimit-Policy").orElse("");
    boolean isServed = response.statusCode() == 200;
    if (isServed && !policy.startsWith("\"" + response.body() + "\";")) {
      mistaken.add(target + " is served by " + response.body() + " and limited by " + policy);
    }
    if (!isServed
        && response.statusCode() != 404
        && response.statusCode() != 400
        && response.statusCode() != 302) {
      mistaken.add(target + " is " + response.statusCode());
    }
  }
}
