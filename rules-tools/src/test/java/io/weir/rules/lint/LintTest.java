package io.weir.rules.lint;

import static io.weir.rules.lint.LintedRules.warnings;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each warning fires where it should, and not on its near misses. */
class LintTest {
  /** Covers whatever the rule under test does not. */
  private static final String REST = "- { name: rest, limit: 1000000 per second, mode: shadow }\n";

  private static String only(String rules) {
    var all = warnings(rules + REST);
    assertThat(all).hasSize(1);
    return all.get(0);
  }

  private static void requireNone(String rules) {
    assertThat(warnings(rules + REST)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "tier: golden       | 'tier: golden' never matches, so the rule never applies: 'tier' is"
            + " looked up and can only be 'free', 'gold', 'pro'; did you mean 'gold'?",
        "tier: [pro, fre]   | 'tier: fre' never matches: 'tier' is looked up and can only be"
            + " 'free', 'gold', 'pro'; did you mean 'free'?",
        "tier: x*           | 'tier: x*' never matches, so the rule never applies: 'tier' is"
            + " looked up and can only be 'free', 'gold', 'pro'",
        "tier: ~            | 'tier: ~' never matches, so the rule never applies: without an entry"
            + " in its table it is 'free'",
        "host: 'a.com:8080' | 'host: a.com:8080' never matches, so the rule never applies: hosts"
            + " are compared in small letters and without port; write a.com",
      })
  void warnsOfImpossibleValue(String match, String message) {
    assertThat(only("- { name: a, match: { %s }, limit: 1/second }\n".formatted(match)))
        .isEqualTo("9:13: warning: rule 'a': " + message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tier: pro",
        "tier: [free, gold]",
        "tier: g*",
        "tier: '*'",
        "plan: ~",
        "plan: small",
        "caller: ~",
        "client: whatever",
        "client: ~",
        "method: [GET, HEAD]",
        "method: get",
        "host: A.com",
        "host: '[::1]'",
        "ip: ~",
        "{path: '/a/{id}', id: 7}",
      })
  void doesNotWarnOfPossibleValue(String match) {
    String map = match.startsWith("{") ? match : "{ " + match + " }";
    requireNone("- { name: a, match: %s, limit: 1/second }\n".formatted(map));
  }

  @Test
  void aFirstOfThatIsAlwaysThere() {
    assertThat(
            LintedRules.warningsOf(
                """
                attributes:
                  user: { header: X-User }
                  tier: { lookup: user, map: { u: pro }, default: free }
                  any: { first_of: [user, tier] }
                rules:
                  - { name: a, match: { any: ~ }, limit: 1/second }
                  - { name: b, limit: 5/second, mode: shadow }
                """))
        .containsExactly(
            "6:13: warning: rule 'a': 'any: ~' never matches, so the rule never applies: none of"
                + " the attributes that 'any' is the first of can be that");
  }

  @Test
  void valuesOfOverridesAndExemptions() {
    assertThat(
            only(
                """
                - name: a
                  limit: 1/second
                  overrides:
                    - { match: { tier: golf }, limit: 2/second }
                """))
        .startsWith("12:9: warning: the override {tier: golf} of rule 'a': 'tier: golf' never")
        .contains("so the override is never used")
        .endsWith("did you mean 'gold'?");
    assertThat(only("- { name: a, limit: 1/second, exempt: [ { tier: golf } ] }\n"))
        .contains("'exempt' of rule 'a': 'tier: golf' never matches, so it exempts nothing");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "match: { api_key: ~ }, per: api_key | it is per 'api_key', but matches only requests"
            + " without it; take 'api_key' out of 'per', or out of 'match'",
        "match: { path: /a }, exempt: [ { path: /a/** } ] | 'exempt' {path: /a/**} covers all that"
            + " it matches; narrow it, or remove the rule",
        "per: path, match: { user: x }, exempt: [ { user: ['*'] } ] | 'exempt' {user: *} covers all"
            + " that it matches; narrow it, or remove the rule",
        "match: { api_key: ~, tier: pro } | it matches only requests without 'api_key', where"
            + " 'tier' is always 'free', but asks for tier: pro",
        "match: { api_key: ~, plan: '*' } | it matches only requests without 'api_key', where"
            + " 'plan' is always absent, but asks for plan: *",
      })
  void warnsOfContradictoryConditions(String rule, String message) {
    assertThat(only("- { name: a, %s, limit: 1/second }\n".formatted(rule)))
        .isEqualTo("9:13: warning: rule 'a' never applies: " + message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "match: { api_key: ~ }, per: ip",
        "match: { path: /a/** }, exempt: [ { path: /a } ]",
        "match: { path: /a }, exempt: [ { path: /a/* } ]",
        "exempt: [ { ip: 10.0.0.0/8 } ]",
        "match: { api_key: ~, tier: [pro, free] }",
        "match: { api_key: ~, plan: ~ }",
        "match: { api_key: ~, plan: [ ~, small ] }",
        "match: { api_key: k9, tier: pro }",
      })
  void doesNotWarnOfRuleThatMayApply(String rule) {
    requireNone("- { name: a, %s, limit: 1/second }\n".formatted(rule));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "match: { method: GET } | { method: POST } | it asks for {method: POST}, but the rule is"
            + " only for {method: GET}",
        "match: { path: /a/** } | { path: /b } | it asks for {path: /b}, but the rule is only for"
            + " {path: /a/**}",
        "match: { ip: 10.0.0.0/8 } | { ip: 11.0.0.1 } | it asks for {ip: 11.0.0.1}, but the rule is"
            + " only for {ip: 10.0.0.0/8}",
        "match: { user: '*' }, per: user | { user: ~ } | it asks for {user: ~}, but the rule is only"
            + " for {user: *}",
        "exempt: [ { method: GET } ] | { method: GET, tier: pro } | 'exempt' {method: GET} of the"
            + " rule covers all that it matches",
      })
  void anOverrideThatTheRuleContradicts(String rule, String match, String message) {
    String text =
        """
        - name: a
          limit: 5/second
          overrides: [ { match: %s, limit: 9/second } ]
          %s
        """
            .formatted(match, rule.replaceFirst(", per: ", "\n  per: "));
    assertThat(only(text)).endsWith(" of rule 'a' is never used: " + message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{ tier: [pro, gold] }     | { tier: pro }",
        "{ path: /a/** }           | { path: '/a/{id}', method: GET }",
        "{ tier: pro }             | { tier: [pro] , method: GET }",
        "{ tier: g* }              | { tier: gold }",
        "{ ip: 10.0.0.0/8 }        | { ip: [10.1.0.0/16, 10.2.0.1] }",
        "{ user: '*' }             | { user: x }",
        "{ user: ['*', ~] }        | { method: GET }",
      })
  void warnsOfOverrideHiddenByAnEarlierOne(String first, String second) {
    assertThat(warnings(withOverrides(first, second) + REST))
        .anyMatch(
            line ->
                line.startsWith("13:9: ")
                    && line.contains(" is never used: the earlier override {")
                    && line.endsWith(
                        "(line 12) matches all of its requests; put the narrower one first"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{ tier: pro }             | { tier: [pro, gold] }",
        "{ tier: pro, method: GET }| { tier: pro }",
        "{ path: /a/* }            | { path: /a/** }",
        "{ path: /a }              | { path: /ab }",
        "{ ip: 10.1.0.0/16 }       | { ip: 10.0.0.0/8 }",
        "{ user: x }               | { user: '*' }",
        "{ user: ~ }               | { user: '*' }",
      })
  void doesNotWarnOfReachableOverride(String first, String second) {
    requireNone(withOverrides(first, second));
  }

  private static String withOverrides(String first, String second) {
    return """
        - name: a
          limit: 5/second
          overrides:
            - { match: %s, limit: 9/second }
            - { match: %s, limit: 7/second }
        """
        .formatted(first, second);
  }

  @Test
  void anOverrideThatLeavesTheLimitNothing() {
    assertThat(
            only(
                """
                - name: a
                  match: { path: /a/b }
                  limit: 5/second
                  overrides: [ { match: { path: /a/* }, limit: 9/second } ]
                """))
        .isEqualTo(
            "9:11: warning: the limit of rule 'a' itself is never used: its override {path: /a/*}"
                + " matches all of its requests; narrow the override, or remove it");
  }

  @Test
  void warnsOfKeyThatMayBeMissing() {
    assertThat(only("- { name: a, per: api_key, limit: 1/second }\n"))
        .isEqualTo(
            "9:13: warning: rule 'a' does not cover requests without 'api_key': be per an attribute"
                + " that every request has (client: { first_of: [api_key, ip] }); if that is meant,"
                + " say so by match: { api_key: \"*\" }");
    assertThat(only("- { name: a, per: [ip, caller], limit: 1/second }\n"))
        .contains(
            "without 'caller': add an attribute to 'caller' that every request has (first_of:"
                + " [user, api_key, ip])");
    assertThat(only("- { name: a, per: plan, limit: 1/second }\n"))
        .contains("give 'plan' a default");
    assertThat(only("- { name: a, per: api_kye, limit: 1/second }\n"))
        .contains("without 'api_kye': it is declared nowhere")
        .endsWith("api_kye: { header: X-Api-Kye }; did you mean 'api_key'?");
    assertThat(only("- { name: a, match: { path: ['/a/{id}', /b] }, per: id, limit: 1/second }\n"))
        .contains("without 'id': not all paths of the rule have {id}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "per: ip",
        "per: [client, path, method, host, tier]",
        "match: { api_key: '*' }, per: api_key",
        "match: { api_key: [k1, k*] }, per: api_key",
        "match: { path: '/a/{id}' }, per: id",
        "match: { path: ['/a/{id}', '/b/{id}/**'] }, per: id",
      })
  void doesNotWarnOfPresentKey(String rule) {
    requireNone("- { name: a, %s, limit: 1/second }\n".formatted(rule));
  }

  @Test
  void warnsOfUndeclaredAttributes() {
    assertThat(only("- { name: a, match: { teir: pro }, limit: 1/second }\n"))
        .isEqualTo(
            "9:13: warning: rule 'a' uses 'teir': it is declared nowhere, so no HTTP request has"
                + " it; declare it under 'attributes', as in teir: { header: X-Teir }; did you mean"
                + " 'tier'?");
    assertThat(
            only(
                """
                - { name: a, match: { org: x }, limit: 1/second }
                - { name: b, match: { org: y }, limit: 1/second }
                """))
        .contains("rule 'a' uses 'org'");
    assertThat(only("- { name: a, match: { path: /a }, cost: weight, limit: 1/second }\n"))
        .contains("rule 'a' uses 'weight'");
    requireNone("- { name: a, match: { path: '/a/{org}', org: x }, limit: 1/second }\n");
    assertThat(
            LintedRules.warningsOf(
                """
                attributes: { client: { first_of: [key, ip] } }
                rules: [ { name: a, per: client, limit: 1/second } ]
                """))
        .singleElement()
        .asString()
        .startsWith("1:15: warning: attribute 'client' uses 'key': it is declared nowhere");
  }

  @Test
  void warnsOfUnusedAttributes() {
    assertThat(
            LintedRules.warningsOf(
                """
                attributes: # unused
                  key: { header: X-Key }
                  left: { header: X-Left }
                  off: { header: X-Off }
                  client: { first_of: [key, ip] }
                rules:
                  - { name: a, per: client, limit: 1/second }
                  - { name: b, per: off, mode: off, limit: 1/second }
                """))
        .containsExactly("3:3: warning: attribute 'left' is used by no rule; use it, or remove it");
  }

  @Test
  void warnsOfLargeLogs() {
    assertThat(
            only(
                "- { name: a, per: ip, limit: { algorithm: sliding-log, rate: 10000 per hour } }\n"))
        .startsWith(
            "9:13: warning: the sliding-log of rule 'a' keeps up to 10000 entries, about 50 KB"
                + " for a busy key, 50 MB for 1000 of them and 50 GB for a million; ");
    assertThat(only("- { name: a, limit: { algorithm: sliding-log, rate: 2000000 per hour } }\n"))
        .contains("entries, about 10 MB; ");
    requireNone("- { name: a, per: ip, limit: { algorithm: sliding-log, rate: 999 per hour } }\n");
    requireNone("- { name: a, limit: { algorithm: sliding-log, rate: 10000 per hour } }\n");
    requireNone(
        "- { name: a, per: ip, limit: { algorithm: sliding-window, rate: 10000 per hour } }\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "cost: 6, limit: { rate: 10/second, burst: 5 }  | a burst of 5; raise 'burst' to 6 or more, or"
            + " lower the cost",
        "cost: 7, limit: { algorithm: leaky-bucket, rate: 1/second, queue: 5 } | a queue of 5; raise"
            + " 'queue' to 6 or more, or lower the cost",
        "cost: 6, limit: { algorithm: fixed-window, rate: 5/second } | a fixed-window of 5; raise the"
            + " rate, or lower the cost",
      })
  void warnsOfCostThatNeverFits(String rule, String message) {
    assertThat(only("- { name: a, match: { path: /a }, %s }\n".formatted(rule)))
        .startsWith("9:13: warning: rule 'a' refuses every request: a cost of ")
        .endsWith(" never fits " + message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cost: 5, limit: { rate: 10/second, burst: 5 }",
        "cost: 6, limit: { algorithm: leaky-bucket, rate: 1/second, queue: 5 }",
        "cost: 5, limit: { algorithm: fixed-window, rate: 5/second }",
        "cost: 5, limit: 0/second",
        "cost: path, limit: 1/second",
      })
  void doesNotWarnOfCostThatMayFit(String rule) {
    requireNone("- { name: a, match: { path: /a }, %s }\n".formatted(rule));
  }

  @Test
  void warnsOfZeroRateForAllRequests() {
    assertThat(warnings("- { name: a, per: ip, limit: 0/second }\n"))
        .singleElement()
        .asString()
        .startsWith("9:13: warning: rule 'a' refuses every request: its rate is 0");
    requireNone("- { name: a, match: { ip: 10.0.0.0/8 }, limit: 0/second }\n");
    requireNone("- { name: a, limit: 0/second, mode: shadow }\n");
    requireNone("- { name: a, limit: 0/second, mode: off }\n");
    requireNone("- { name: a, limit: 0/second, exempt: [ { tier: pro } ] }\n");
  }

  @Test
  void aLimitBehindAStricterOneOfTheSameRule() {
    assertThat(
            only(
                """
                - name: a
                  per: ip
                  limits: [ { rate: 10/second, burst: 100 }, { algorithm: fixed-window, rate: 1000 per minute } ]
                """))
        .isEqualTo(
            "9:11: warning: the limit 'fixed-window 1000 per 1m' of rule 'a' never refuses what"
                + " 'token-bucket 10 per 1s, burst 100' allows; remove it, or tighten it");
    requireNone(
        """
        - name: a
          per: ip
          limits: [ { rate: 10/second, burst: 100 }, { algorithm: fixed-window, rate: 600 per minute } ]
        """);
  }

  @Test
  void warnsOfEqualRules() {
    assertThat(
            only(
                """
                - { name: a, match: { path: /a, method: GET }, per: ip, limit: 1/second }
                - { name: b, match: { method: GET, path: /a }, per: ip, limit: 1/second }
                """))
        .isEqualTo(
            "10:13: warning: rule 'b' is the same as rule 'a' (9:13) except for its name; remove one of"
                + " them");
    requireNone(
        """
        - { name: a, match: { path: /a, method: GET }, per: ip, limit: 1/second }
        - { name: b, match: { path: /a, method: PUT }, per: ip, limit: 1/second }
        - { name: c, match: { path: /a, method: GET }, per: ip, limit: 1/second, mode: off }
        - { name: d, match: { path: /a, method: GET }, per: [ip, path], limit: 1/second, mode: shadow }
        """);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "per: ip, limit: 5/second          | per: ip, match: { path: /a }, limit: 6/second",
        "per: ip, limit: 5/second          | per: [ip, path], limit: 5/second",
        "limit: 5/second                   | per: client, limit: { rate: 5/second, burst: 9 }",
        "match: { path: /a/** }, limit: 5/second | match: { path: '/a/{id}' }, per: id, limit: 9/second",
        "match: { path: '/a/{id}' }, per: id, limit: 5/second | match: { path: '/a/{id}' }, per: [id, ip], limit: 9/second",
        "limit: 5/second, exempt: [ { path: /b } ] | match: { path: /a }, limit: 6/second",
        "per: ip, cost: 2, limit: 5/second | per: ip, cost: 1, match: { path: /a }, limit: 5/second",
        "match: { user: '*' }, per: user, limit: 5/second | match: { user: x }, per: user, limit: 6/second",
      })
  void warnsOfRuleBehindAStricterOne(String strict, String loose) {
    assertThat(only("- { name: strict, %s }\n- { name: loose, %s }\n".formatted(strict, loose)))
        .startsWith(
            "10:13: warning: rule 'loose' never refuses what rule 'strict' (9:13) allows: ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "per: ip, limit: 5/second          | per: ip, match: { path: /a }, limit: 4/second",
        "per: ip, limit: 5/second          | per: host, limit: 6/second",
        "per: [ip, path], limit: 5/second  | per: ip, limit: 6/second",
        "match: { path: /a/* }, per: ip, limit: 5/second | match: { path: /a/** }, per: ip, limit: 6/second",
        "limit: 5/second, mode: shadow     | match: { path: /a }, limit: 6/second",
        "limit: 5/second                   | match: { path: /a }, limit: 6/second, mode: shadow",
        "limit: 5/second                   | match: { path: /a }, limit: 6/second, on_failure: deny",
        "limit: 5/second, exempt: [ { path: /a } ] | match: { path: /a/** }, limit: 6/second",
        "match: { path: '/a/{id}' }, per: id, limit: 5/second | match: { path: '/{id}/a' }, per: id, limit: 9/second",
        "match: { path: '/**', user: x }, limit: 5/second | match: { path: '/{user}', user: x }, limit: 9/second",
        "per: ip, cost: 1, limit: 5/second | per: ip, cost: 2, match: { path: /a }, limit: 5/second",
        "per: ip, limit: 5/second, overrides: [ { match: { tier: pro }, limit: 2/second } ] | per: ip, match: { path: /a }, limit: 9/second",
        "per: ip, limit: 5/second          | per: ip, match: { path: /a }, limit: 6/second, overrides: [ { match: { tier: pro }, limit: 2/second } ]",
      })
  void doesNotWarnOfUsefulRule(String strict, String loose) {
    requireNone("- { name: strict, %s }\n- { name: loose, %s }\n".formatted(strict, loose));
  }
}
