package io.weir.rules.lint;

import static io.weir.rules.lint.LintedRules.warnings;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A rule per what a client may invent needs one per address beside it. */
class InventedKeysTest {
  private static final String REST =
      "- { name: rest, limit: 1000000 per second, mode: shadow } # invented\n";

  private static final String RULE = "- { name: a, match: { %s }, per: %s, limit: 1/second }\n";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "path: /a                     | client",
        "path: /a                     | [client, path]",
        "tier: [free, pro]            | client",
        "tier: '*'                    | client",
        "user: '*'                    | user",
        "user: a*                     | user",
        "user: '*', api_key: '*'      | [user, api_key]",
      })
  void warnsWithoutRulePerAddress(String match, String per) {
    String rule = RULE.formatted(match, per);
    assertThat(invented(rule)).hasSize(1);
    assertThat(invented(rule + "- { name: ip, per: ip, limit: 5/second }\n")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "path: /a                     | ip",
        "path: '/users/{id}'          | id",
        "path: /a                     | tier",
        "tier: pro                    | api_key",
        "tier: [pro, gold]            | client",
        "plan: '*'                    | client",
        "api_key: [k1, k2]            | api_key",
        "path: /a                     | principal",
      })
  void doesNotWarnOfKeysThatCannotBeInvented(String match, String per) {
    assertThat(invented(RULE.formatted(match, per))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "- { name: ip, match: { path: /a/** }, per: ip, limit: 5/second }             | 0",
        "- { name: ip, match: { path: /b }, per: ip, limit: 5/second }                | 1",
        "- { name: ip, match: { method: POST }, per: ip, limit: 5/second }            | 1",
        "- { name: ip, per: [ip, api_key], limit: 5/second }                          | 2",
        "- { name: ip, per: ip, limit: 5/second, mode: shadow }                       | 1",
        "- { name: ip, per: ip, limit: 5/second, exempt: [ { path: /a } ] }           | 1",
        "- { name: ip, per: ip, limit: 5/second, exempt: [ { path: /b } ] }           | 0",
        "- { name: all, limit: 5/second }                                             | 1",
        "- { name: principal, per: principal, match: { principal: '*' }, limit: 1/s } | 1",
      })
  void wantsOneThatCoversTheSameRequests(String rule, int warnings) {
    assertThat(
            invented(
                RULE.formatted("path: /a", "client") + rule.replace("1/s ", "1/second ") + "\n"))
        .hasSize(warnings);
  }

  @Test
  void namesPlaceAndRemedyOncePerAttribute() {
    String rules =
        RULE.formatted("path: /a", "client")
            + RULE.formatted("path: /b", "client").replace("a,", "b,");
    assertThat(invented(rules))
        .containsExactly(
            "9:13: warning: rule 'a' and one other rule give each value of 'client' a bucket, and a"
                + " client can invent values (header X-API-Key); add a rule 'per: ip' that covers"
                + " the same requests, with a limit that is high enough for one address");
  }

  @Test
  void ignoresRulesThatRefuseNothing() {
    assertThat(invented("- { name: a, per: client, limit: 1/second, mode: shadow }\n")).isEmpty();
  }

  private static List<String> invented(String rules) {
    return warnings(rules + REST).stream()
        .filter(line -> line.contains("can invent values"))
        .toList();
  }
}
