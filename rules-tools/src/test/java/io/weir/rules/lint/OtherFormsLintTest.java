package io.weir.rules.lint;

import static io.weir.rules.lint.LintedRules.warningsOf;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The other two forms: what is worth a warning there, and that nothing else is said. */
class OtherFormsLintTest {
  @ParameterizedTest
  @CsvSource({
    "*,       a,      true",
    "*,       '',     true",
    "*,       *,      true",
    "a*,      ab*,    true",
    "a*b,     a*c*b,  true",
    "*b*,     ab*c,   true",
    "a,       a,      true",
    "a*,      a,      true",
    "ab*,     a*,     false",
    "a*b,     a*,     false",
    "a,       *,      false",
    "a*a,     a,      false",
    "*a*b*,   *b*a*,  false",
  })
  void patternsCoverPatterns(String wide, String narrow, boolean covers) {
    assertThat(ShadowedDescriptors.covers(wide, narrow)).isEqualTo(covers);
  }

  @Test
  void rulesForEnvoyDescriptorsNeedNoHttpAttributes() {
    assertThat(
            warningsOf(
                """
                domain: d
                rules:
                  - { name: address, match: { path: ~ }, per: remote_address, limit: 5 per second }
                  - { name: key, per: api_key, limit: 5 per second }
                  - { name: tenant, match: { method: GET }, per: tenant, limit: 5 per second }
                """))
        .isEmpty();
  }

  @Test
  void declaredAddressIsOneOfHttp() {
    assertThat(
            warningsOf(
                """
                attributes:
                  remote_address: { header: X-Remote }
                rules:
                  - { name: key, per: [remote_address, api_key], limit: 5 per second }
                """))
        .anySatisfy(warning -> assertThat(warning.toString()).contains("'api_key'"));
  }

  @Test
  void warnsOfPatternHiddenByAnEarlierOne() {
    assertThat(
            warningsOf(
                """
                domain: d
                descriptors:
                  - { key: path, value: "/a*", rate_limit: { unit: second, requests_per_unit: 5 } }
                  - { key: path, value: "/a/b*", rate_limit: { unit: second, requests_per_unit: 7 } }
                """))
        .singleElement()
        .asString()
        .startsWith("4:")
        .contains("warning: the descriptor 'path_/a/b*' is never used: 'path_/a*' (3:")
        .endsWith("takes all of its entries; put the narrower one first");
  }

  @Test
  void warnsOfDefaultHiddenByAPattern() {
    assertThat(
            warningsOf(
                """
                domain: d
                descriptors:
                  - key: outer
                    descriptors:
                      - { key: user, rate_limit: { unit: second, requests_per_unit: 5 } }
                      - { key: user, value: "*", rate_limit: { unit: second, requests_per_unit: 7 } }
                """))
        .singleElement()
        .asString()
        .contains("the descriptor 'user' is never used: 'user_*' (6:")
        .endsWith("remove one of them");
  }

  @Test
  void doesNotWarnOfReachablePatterns() {
    assertThat(
            warningsOf(
                """
                domain: d
                descriptors:
                  - { key: path, value: "/a/b*", rate_limit: { unit: second, requests_per_unit: 5 } }
                  - { key: path, value: "/a*", rate_limit: { unit: second, requests_per_unit: 7 } }
                  - { key: path, value: "/a/b", rate_limit: { unit: second, requests_per_unit: 8 } }
                  - { key: path, rate_limit: { unit: second, requests_per_unit: 9 } }
                  - { key: user, value: "/a/b*", rate_limit: { unit: second, requests_per_unit: 9 } }
                """))
        .isEmpty();
  }

  @Test
  void warnsOfUnknownNameToReplace() {
    String file =
        """
        domain: d
        descriptors:
          - { key: a, rate_limit: { name: alpha, unit: second, requests_per_unit: 5 } }
          - key: b
            rate_limit: { name: beta, unit: second, requests_per_unit: 5, replaces: [ { name: %s } ] }
        """;
    assertThat(warningsOf(file.formatted("alpha"))).isEmpty();
    assertThat(warningsOf(file.formatted("alhpa")))
        .singleElement()
        .asString()
        .contains(
            "replaces 'alhpa', but no limit of this domain has this name; did you mean 'alpha'?");
  }

  @Test
  void theFormWithTiersGivesNoFalseAlarm() {
    String file =
        """
        %s
        rate_limits:
          default: { bucket_capacity: 100, refill_rate: 10 }
          tiers:
            free: { bucket_capacity: 20, refill_rate: 2 }
            pro: { bucket_capacity: 200, refill_rate: 50 }
          endpoint_overrides:
            /api/v1/login: { bucket_capacity: 5, refill_rate: 0.1 }
            /api/v1/search: { bucket_capacity: 20, refill_rate: 2 }
        """;
    String tier = "attributes: { tier: { lookup: api_key, map: { k: pro }, default: free } }";
    assertThat(warningsOf(file.formatted(tier))).isEmpty();
    assertThat(warningsOf(file.formatted("")))
        .singleElement()
        .asString()
        .contains("uses 'tier': it is declared nowhere");
  }
}
