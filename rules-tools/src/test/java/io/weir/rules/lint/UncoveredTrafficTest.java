package io.weir.rules.lint;

import static io.weir.rules.lint.LintedRules.warnings;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Traffic that no rule covers is said, once, and only where there is such traffic. */
class UncoveredTrafficTest {
  private static List<String> uncovered(String rules) {
    return warnings(rules).stream().filter(line -> line.contains("no rule covers")).toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{ per: api_key } | requests without 'api_key'",
        "{ match: { api_key: '*' }, per: api_key } | requests without 'api_key'",
        "{ per: caller } | requests without 'caller'",
        "{ match: { path: /api/** }, per: ip } | requests with another 'path' than /api/**",
        "{ match: { path: /api/** }, per: api_key } | requests without 'api_key', nor requests with"
            + " another 'path' than /api/**",
        "{ match: { method: [GET, PUT] } } | requests with another 'method' than GET, PUT",
        "{ match: { ip: 10.0.0.0/8 } } | requests with another 'ip' than 10.0.0.0/8",
        "{ match: { api_key: ~ } } | requests with 'api_key'",
        "{ match: { user: [ ~, x ] } } | requests with another 'user' than x",
      })
  void reportsRequestsWithoutTheOnlyRule(String rule, String message) {
    assertThat(uncovered("- " + rule.replaceFirst("^\\{", "{ name: a, limit: 1/second,") + "\n"))
        .containsExactly(
            "1:1: warning: no rule covers "
                + message
                + "; a rule without 'match', per ip, would cover what others do not");
  }

  @Test
  void reportsRequestsWithoutAnyOfSeveralRules() {
    assertThat(
            uncovered(
                """
                - { name: a, match: { path: /a }, per: ip, limit: 1/second }
                - { name: b, match: { path: /b }, per: ip, limit: 1/second }
                - { name: c, match: { path: /c }, per: ip, limit: 1/second }
                - { name: d, match: { path: /d }, per: ip, limit: 1/second }
                - { name: e, per: user, limit: 1/second }
                """))
        .singleElement()
        .asString()
        .contains("requests with another 'path' than /a, /b, /c and 1 more and without 'user'; ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "- { name: a, limit: 1/second }",
        "- { name: a, per: client, limit: 1/second }",
        "- { name: a, per: client, limit: 1/second, mode: shadow }",
        "- { name: a, per: [ip, tier], limit: 1/second }",
        "- { name: a, match: { path: /** }, per: ip, limit: 1/second }",
        "- { name: a, match: { tier: '*' }, per: ip, limit: 1/second }",
        "- { name: a, limit: 1/second, exempt: [ { ip: 10.0.0.0/8 } ] }",
        "- { name: a, match: { user: ~ }, limit: 1/second }\n- { name: b, match: { user: '*' }, limit: 1/second }",
        "- { name: a, match: { tier: pro }, limit: 1/second }\n- { name: b, match: { tier: [free, gold] }, limit: 1/second }",
      })
  void reportsNothingIfEveryRequestIsCovered(String rules) {
    assertThat(uncovered(rules + "\n")).isEmpty();
  }

  @Test
  void ruleThatIsOffCoversNothing() {
    assertThat(
            uncovered(
                """
                - { name: a, match: { path: /a }, limit: 1/second }
                - { name: b, limit: 1/second, mode: off }
                """))
        .hasSize(1);
  }
}
