package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;

/** A connection serves many requests, whether they are refused or allowed. */
@Tag("slow")
class KeepAliveTest {
  private static final String RULES =
      "rules: [ { name: b, match: { path: /b }, limit: { algorithm: fixed-window, rate: 0 per day } } ]";

  /** A request that Spring Security lets through is handled by another thread. */
  @ParameterizedTest
  @EnumSource(names = {"SERVLET", "REACTIVE"})
  void immediateResponseDoesNotDelayTheNextRequest(WebApplicationType type) {
    try (PermitAllApplication.RunningApplication app = PermitAllApplication.start(type, RULES)) {
      for (int i = 0; i < 50; i++) {
        assertThat(app.testHttpClient().get("/a/x").statusCode()).isEqualTo(200);
        assertThat(app.testHttpClient().get("/b").statusCode()).isEqualTo(429);
        assertThat(app.testHttpClient().get("/a/x").statusCode()).isEqualTo(200);
        assertThat(app.testHttpClient().get("/at-once").statusCode()).isEqualTo(200);
      }
    }
  }
}
