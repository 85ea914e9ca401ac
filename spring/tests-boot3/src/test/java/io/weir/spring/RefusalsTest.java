package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;

/** A refused call gets the same response wherever it was made. */
@Tag("slow")
class RefusalsTest {
  private static final String RULES =
      "rules: [ { name: all, limit: { algorithm: fixed-window, rate: 100 per day } } ]";
  private static final List<String> PLACES = List.of("/controller", "/functional", "/filter");

  @ParameterizedTest
  @EnumSource(names = {"SERVLET", "REACTIVE"})
  void reportsALimitOnce(WebApplicationType type) {
    try (PermitAllApplication.RunningApplication app = PermitAllApplication.start(type, RULES)) {
      for (String place : PLACES) {
        assertThat(app.testHttpClient().get(place).statusCode()).as(place).isEqualTo(200);
        HttpResponse<String> refused = app.testHttpClient().get(place);
        assertThat(refused.statusCode()).as(place).isEqualTo(429);
        assertThat(refused.body())
            .as(place)
            .startsWith("{\"error\":\"rate_limit_exceeded\"")
            .contains("\"rule\":\"LimitedService.land\"");
        for (String header :
            List.of(
                "X-RateLimit-Limit",
                "X-RateLimit-Remaining",
                "X-RateLimit-Reset",
                "X-RateLimit-Retry-After",
                "RateLimit-Policy",
                "RateLimit",
                "Retry-After",
                "Cache-Control",
                "Content-Type")) {
          assertThat(refused.headers().allValues(header)).as(place + " " + header).hasSize(1);
        }
        assertThat(refused.headers().firstValue("X-RateLimit-Limit")).as(place).contains("1");
        assertThat(refused.headers().firstValue("Content-Type").orElse(""))
            .as(place)
            .startsWith("application/json");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SERVLET", "REACTIVE"})
  void pagesOfOtherOriginsMayReadThem(WebApplicationType type) {
    try (PermitAllApplication.RunningApplication app =
        PermitAllApplication.start(
            type,
            "rules: [ { name: b, match: { path: /b }, limit: 0 per day } ]",
            "weir.cors-origins",
            "https://shop.example")) {
      HttpResponse<String> page = app.testHttpClient().get("/b", "Origin", "https://shop.example");
      assertThat(page.statusCode()).isEqualTo(429);
      assertThat(page.headers().allValues("Access-Control-Allow-Origin"))
          .containsExactly("https://shop.example");
      assertThat(page.headers().allValues("Vary")).contains("Origin");
      assertThat(page.headers().firstValue("Access-Control-Expose-Headers").orElse(""))
          .contains("X-RateLimit-Remaining", "RateLimit-Policy");
      HttpResponse<String> other = app.testHttpClient().get("/b", "Origin", "https://evil.example");
      assertThat(other.headers().allValues("Access-Control-Allow-Origin")).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SERVLET", "REACTIVE"})
  void pagesMayReadRefusalsOfMethodsToo(WebApplicationType type) {
    try (PermitAllApplication.RunningApplication app =
        PermitAllApplication.start(type, RULES, "weir.cors-origins", "*")) {
      for (String place : PLACES) {
        app.testHttpClient().get(place);
        HttpResponse<String> refused =
            app.testHttpClient().get(place, "Origin", "https://shop.example");
        assertThat(refused.statusCode()).as(place).isEqualTo(429);
        assertThat(refused.headers().allValues("Access-Control-Allow-Origin"))
            .as(place)
            .containsExactly("*");
        assertThat(refused.headers().firstValue("Access-Control-Expose-Headers").orElse(""))
            .as(place)
            .contains("Retry-After");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SERVLET", "REACTIVE"})
  void unavailableStoreIsNotReportedAsClientError(WebApplicationType type) {
    try (PermitAllApplication.RunningApplication app =
        PermitAllApplication.start(
            type,
            RULES.replace("} } ]", "}, match: { path: /none } } ]"),
            "weir.store",
            "redis://127.0.0.1:1",
            "weir.failure-policy",
            "error")) {
      for (String place : PLACES) {
        HttpResponse<String> refused = app.testHttpClient().get(place);
        assertThat(refused.statusCode()).as(place).isEqualTo(503);
        assertThat(refused.body()).as(place).contains("limiter_unavailable");
      }
    }
  }
}
