package io.weir.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What pages of other origins can read. */
@ParameterizedClass
@EnumSource(Container.class)
class CorsTest {
  private static final String ONE =
      "rules: [ { name: all, limit: { algorithm: fixed-window, rate: 1 per day } } ]";
  private static final String LIMITS =
      "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit-Policy, RateLimit";

  private final Container container;

  CorsTest(Container container) {
    this.container = container;
  }

  @ParameterizedTest
  @CsvSource({
    "*, https://shop.example, *",
    "https://shop.example, https://shop.example, https://shop.example",
    "https://shop.example, https://evil.example, ",
    "https://shop.example, null, ",
    ", https://shop.example, ",
    "*, , ",
  })
  void configuredOriginsMayReadRefusals(String allowed, String origin, String allowedOrigin)
      throws Exception {
    List<String> origins = allowed == null ? List.of() : List.of(allowed);
    WeirFilter filter =
        Application.filter(ONE.replace("1 per", "0 per"), as -> as.corsOrigins(origins));
    try (Container.Running app = container.start(Application.echo(filter))) {
      RawConnection.Response refused =
          origin == null
              ? RawConnection.get(app.port(), "/")
              : RawConnection.get(app.port(), "/", "Origin: " + origin);
      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.header("Access-Control-Allow-Origin")).isEqualTo(allowedOrigin);
      assertThat(refused.header("Access-Control-Expose-Headers"))
          .isEqualTo(allowedOrigin == null ? null : "Content-Type, Cache-Control, " + LIMITS);
      assertThat(refused.header("Vary"))
          .isEqualTo(allowedOrigin == null || allowedOrigin.equals("*") ? null : "Origin");
    }
  }

  /** CORS headers of an earlier filter take precedence, and only names are added. */
  @Test
  void originsAllowedByAnEarlierFilterReadLimits() throws Exception {
    Container.SetUp application =
        context -> {
          Application.add(
              context,
              "cors",
              (request, response, chain) -> {
                HttpServletResponse http = (HttpServletResponse) response;
                http.setHeader("Access-Control-Allow-Origin", "https://shop.example");
                http.addHeader("Access-Control-Expose-Headers", "X-Mine");
                http.addHeader("Access-Control-Expose-Headers", "ratelimit");
                chain.doFilter(request, response);
              });
          Application.add(
              context, "weir", Application.filter(ONE, as -> as.corsOrigins(List.of("*"))));
          Application.serve(context, "/*", (request, response) -> {});
        };
    try (Container.Running app = container.start(application)) {
      RawConnection.Response served =
          RawConnection.get(app.port(), "/", "Origin: https://shop.example");
      assertThat(served.status()).isEqualTo(200);
      assertThat(served.header("Access-Control-Expose-Headers"))
          .isEqualTo(
              "X-Mine, ratelimit, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset,"
                  + " RateLimit-Policy");
      RawConnection.Response refused =
          RawConnection.get(app.port(), "/", "Origin: https://shop.example");
      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.header("Access-Control-Allow-Origin")).isEqualTo("https://shop.example");
      assertThat(refused.header("Access-Control-Expose-Headers"))
          .startsWith("X-Mine, ratelimit, ")
          .contains(", Retry-After");
    }
  }
}
