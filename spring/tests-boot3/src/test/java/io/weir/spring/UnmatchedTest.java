package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;

/** A request that no rule was for is counted once, whenever rules are decided. */
@Tag("slow")
class UnmatchedTest {
  private static final String EARLY =
      "rules: [ { name: b, match: { path: /b }, limit: 100 per day } ]";
  private static final String BOTH =
      """
      rules:
        - { name: b, match: { path: /b }, limit: 100 per day }
        - { name: nobody, match: { path: /a/x, principal: ~ }, limit: 100 per day }
      """;

  @ParameterizedTest
  @CsvSource({"SERVLET, 2, 1", "REACTIVE, 2, 1"})
  void unmatchedRequestIsCountedOnce(WebApplicationType type, double early, double both) {
    assertThat(unmatched(type, EARLY)).isEqualTo(early);
    assertThat(unmatched(type, BOTH)).isEqualTo(both);
  }

  private static double unmatched(WebApplicationType type, String rules) {
    try (PermitAllApplication.RunningApplication app = PermitAllApplication.start(type, rules)) {
      for (String path : List.of("/b", "/a/x", "/a/y")) {
        assertThat(app.testHttpClient().get(path).statusCode()).isEqualTo(200);
      }
      return app.context()
          .getBean(MeterRegistry.class)
          .get("weir.unmatched")
          .functionCounter()
          .count();
    }
  }
}
