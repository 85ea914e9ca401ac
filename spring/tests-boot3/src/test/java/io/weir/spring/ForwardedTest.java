package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;

/** Forwarded headers disable no limit, even where Spring trusts them. */
@Tag("slow")
class ForwardedTest {
  private static final String RULES =
      """
      rules:
        - { name: address, per: ip, limit: { algorithm: sliding-log, rate: 100 per day } }
        - { name: b, match: { path: /b }, limit: { algorithm: sliding-log, rate: 100 per day } }
      """;

  private static PermitAllApplication.RunningApplication start(
      WebApplicationType type, String strategy, String trusted) {
    return PermitAllApplication.start(
        type, RULES, "server.forward-headers-strategy", strategy, "weir.trusted-proxies", trusted);
  }

  @ParameterizedTest
  @CsvSource({"SERVLET, framework", "REACTIVE, framework", "REACTIVE, native"})
  void ignoresForwardedAddressesOfUntrustedClients(WebApplicationType type, String strategy) {
    try (PermitAllApplication.RunningApplication app = start(type, strategy, "10.0.0.0/8")) {
      assertThat(left(app, null, "1.1.1.1", "2.2.2.2", "nonsense", "shop.example", "_hidden"))
          .containsExactly("99", "98", "97", "96", "95", "94");
    }
  }

  @ParameterizedTest
  @CsvSource({"SERVLET, framework", "REACTIVE, framework", "REACTIVE, native"})
  void usesTrustedProxyAndIgnoresForgedAddresses(WebApplicationType type, String strategy) {
    try (PermitAllApplication.RunningApplication app = start(type, strategy, "127.0.0.0/8")) {
      assertThat(left(app, "1.1.1.1", "6.6.6.6, 1.1.1.1", "6.6.6.6", "6.6.6.6, 7.7.7.7"))
          .containsExactly("99", "98", "99", "99");
      assertThat(left(app, null, "nonsense")).as("the proxy itself").containsExactly("99", "98");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SERVLET", "REACTIVE"})
  void anAddressThatCannotBeReadIsLimited(WebApplicationType type) {
    try (PermitAllApplication.RunningApplication app = start(type, "native", "10.0.0.0/8")) {
      assertThat(left(app, "nonsense", "no.such.host.invalid", "unknown")).doesNotContain("");
    }
  }

  @ParameterizedTest
  @CsvSource({"SERVLET, framework", "REACTIVE, framework", "REACTIVE, native"})
  void aPrefixDoesNotHideAPath(WebApplicationType type, String strategy) {
    try (PermitAllApplication.RunningApplication app = start(type, strategy, "10.0.0.0/8")) {
      for (String prefix : List.of("/x", "/x/..", "/a/b,/c", "//")) {
        HttpResponse<String> response =
            app.testHttpClient().get("/b", "X-Forwarded-Prefix", prefix);
        assertThat(response.body()).as(prefix).isEqualTo("b");
        assertThat(response.headers().firstValue("RateLimit-Policy").orElse(""))
            .as(prefix)
            .contains("\"b\";");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"SERVLET, framework", "REACTIVE, framework", "REACTIVE, native"})
  void requiresTrustedProxiesToBeSet(WebApplicationType type, String strategy) {
    assertThatThrownBy(
            () ->
                PermitAllApplication.start(type, RULES, "server.forward-headers-strategy", strategy)
                    .close())
        .hasStackTraceContaining("'weir.trusted-proxies' is not set");
  }

  @ParameterizedTest
  @EnumSource(names = {"SERVLET", "REACTIVE"})
  void rulesByUserStandBehindAuthentication(WebApplicationType type) {
    assertThatThrownBy(
            () ->
                PermitAllApplication.start(
                        type,
                        "rules: [ { name: user, per: principal, limit: 5 per hour } ]",
                        "weir.filter.principal-order",
                        "-200")
                    .close())
        .hasStackTraceContaining("is -200, which is not behind Spring Security (-100)");
  }

  /** How many requests are left to the forwarded clients; empty if there is no limit. */
  private static List<String> left(PermitAllApplication.RunningApplication app, String... clients) {
    List<String> left = new ArrayList<>();
    for (String client : clients) {
      HttpResponse<String> response =
          client == null
              ? app.testHttpClient().get("/a/x")
              : app.testHttpClient().get("/a/x", "X-Forwarded-For", client);
      left.add(response.headers().firstValue("X-RateLimit-Remaining").orElse(""));
    }
    return left;
  }
}
