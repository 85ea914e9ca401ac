package io.weir.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterRegistration;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A filter that is set up as {@code web.xml} does it. */
class InitParametersTest {
  @TempDir private Path directory;

  private Container.Running start(Container container, Map<String, String> parameters)
      throws Exception {
    Path rules = directory.resolve("rules.yaml");
    Files.writeString(
        rules,
        "rules: [ { name: all, per: ip, limit: { algorithm: fixed-window, rate: 2 per day } } ]");
    Map<String, String> all = new HashMap<>(Map.of("rules", rules.toString()));
    all.putAll(parameters);
    return container.start(
        context -> {
          FilterRegistration.Dynamic weir = context.addFilter("weir", WeirFilter.class);
          weir.setInitParameters(all);
          weir.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), false, "/*");
          Application.serve(context, "/*", (request, response) -> {});
        });
  }

  @ParameterizedTest
  @EnumSource
  void readsAllParameters(Container container) throws Exception {
    try (Container.Running app =
        start(
            container,
            Map.of(
                "store", "memory",
                "store_timeout", "20ms",
                "max_keys", "1000",
                "trusted_proxies", "127.0.0.1, ::1",
                "headers", "x-ratelimit",
                "reset_unit", "delta-seconds",
                "encoded_slashes", "true",
                "waiting", "async",
                "most_held", "5"))) {
      RawConnection.Response one = RawConnection.get(app.port(), "/", "X-Forwarded-For: 1.1.1.1");
      assertThat(one.header("X-RateLimit-Remaining")).isEqualTo("1");
      assertThat(Long.parseLong(one.header("X-RateLimit-Reset"))).isLessThanOrEqualTo(86_400);
      assertThat(one.header("RateLimit")).isNull();
      RawConnection.Response other = RawConnection.get(app.port(), "/", "X-Forwarded-For: 2.2.2.2");
      assertThat(other.header("X-RateLimit-Remaining")).isEqualTo("1");
    }
  }

  @ParameterizedTest
  @EnumSource
  void rulesMayBeAFileOfTheApplication(Container container) throws Exception {
    Path inside = Files.createDirectories(directory.resolve("app/WEB-INF"));
    Files.writeString(inside.resolve("rules.yaml"), "rules: [ { name: a, limit: 0 per second } ]");
    try (Container.Running app =
        container.start(
            "",
            directory.resolve("app"),
            context -> {
              FilterRegistration.Dynamic weir = context.addFilter("weir", WeirFilter.class);
              weir.setInitParameter("rules", "/WEB-INF/rules.yaml");
              weir.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), false, "/*");
              Application.serve(context, "/*", (request, response) -> {});
            })) {
      assertThat(RawConnection.get(app.port(), "/").status()).isEqualTo(429);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          rules          |                  | the init parameter 'rules' is missing
          rules          | /no/such/file    | /no/such/file
          rules          | rules.yaml,      | 'rules.yaml,' must be a list without empty items
          store          | nosuch:          | nosuch
          store_timeout  | soon             | 'soon' must be a length of time, such as 10ms or 1s
          trusted_proxies| everybody        | everybody
          headers        | all,none         | 'all' must be one of x-ratelimit, ratelimit, retry-after
          reset_unit     | days             | 'days' must be one of epoch-seconds, epoch-millis, delta-seconds, http-date
          waiting        | never            | 'never' must be one of thread, async
          most_held      | -1               | '-1' must be a whole number
          encoded_slashes| yes              | 'yes' must be true or false
          rulez          | a                | unknown init parameter 'rulez'; there are cors_origins, encoded_slashes, headers
          """)
  void invalidParameterFailsStartWithItsName(String name, String value, String message) {
    assertThatThrownBy(() -> start(Container.JETTY, Map.of(name, value == null ? "" : value)))
        .hasStackTraceContaining(message);
    assertThatThrownBy(() -> start(Container.TOMCAT, Map.of(name, value == null ? "" : value)))
        .hasMessageContaining("did not start"); // it logs why
  }
}
