package io.weir.insight.series;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.decision.CredentialMasking;
import io.weir.decision.RuleChange;
import io.weir.rules.AttributeSource;
import io.weir.rules.Domain;
import io.weir.rules.Problem;
import io.weir.rules.RuleSet;
import io.weir.rules.SourceLocation;
import io.weir.rules.file.RuleFiles;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The reports of rule changes. */
class ChangesTest {
  private final ManualTime time = TimeSource.manual().set(Instant.ofEpochMilli(5000));
  private final Changes changes = new Changes(time);

  private static RuleSet rules(String rules) {
    return RuleFiles.read("r.yaml", ("rules: [" + rules + "]").getBytes(UTF_8))
        .rules()
        .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          { name: a, limit: 2/s }                             | 1 per 1s     | 2 per 1s
          { name: a, limit: 1/s, mode: shadow }               | mode enforce | mode shadow
          { name: a, limit: 1/s, per: ip }                    | per none     | per ip
          { name: a, limit: 1/s, per: [ip, user] }            | per none     | per ip, user
          { name: a, limit: 1/s, cost: 5 }                    | cost of the request | cost 5
          { name: a, limit: 1/s, on_failure: deny, mode: off} | mode enforce; on_failure allow | mode off; on_failure deny
          { name: a, limit: 1/s, match: { path: /a } }        | match        | /a
          """)
  void reportsDifferencesOfChangedRule(String after, String gone, String come) {
    changes.reloaded(RuleChange.between(rules("{ name: a, limit: 1/s }"), rules(after)));
    Change change = changes.newest().get(0);
    assertThat(change.result()).hasToString("success");
    assertThat(change.millis()).isEqualTo(5000);
    assertThat(change.summary()).isEqualTo("1 rule; changed 'a'");
    assertThat(change.changed()).hasSize(1);
    assertThat(change.changed().get(0).before()).contains(gone);
    assertThat(change.changed().get(0).after()).contains(come);
  }

  /** Rules may contain keys in plain text: a change shows none of them. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          match: { api_key: sk_live_abcdef }                  | match {api_key: "sk…ef"}
          match: { api_key: sk_live_abcdef* }                 | match {api_key: "sk…ef"*}
          match: { api_key: [sk_live_abcdef, other] }         | match {api_key: ["sk…ef", "…
          exempt: [ { api_key: sk_live_abcdef } ]             | exempt {api_key: "sk…ef"}
          overrides: [ { match: { api_key: sk_live_abcdef }, limit: 9/s } ] | override {api_key: "sk…ef"} token-bucket 9 per 1s
          overrides: [ { name: vip, match: { api_key: sk_live_abcdef }, limit: 9/s } ] | override vip {api_key: "sk…ef"}: token-bucket 9 per 1s
          match: { method: POST, ip: 10.0.0.0/8, path: /orders/** } | match {ip: 10.0.0.0/8, method: POST, path: /orders/**}
          match: { host: shop.example.com }                   | match {host: shop.example.com}
          match: { api_key: "*" }                             | match {api_key: *}
          """)
  void showsNoKey(String part, String text) {
    RuleChange change =
        RuleChange.between(
            rules("{ name: a, limit: 1/s }"), rules("{ name: a, limit: 1/s, " + part + " }"));
    changes.reloaded(change);
    assertThat(changes.newest().get(0).changed().get(0).after()).startsWith(text);
    assertThat(change.changed() + change.toString()).doesNotContain("sk_live");
  }

  @Test
  void showsLookedUpValues() {
    RuleSet plain = rules("{ name: a, limit: 1/s, match: { tier: enterprise } }");
    assertThat(CredentialMasking.over(plain.domains().get(0)).of(plain.rules().get(0).match()))
        .hasToString("{tier: \"en…se\"}");
    Domain tiers =
        new Domain(
            "default",
            Map.of(
                "tier",
                new AttributeSource.Lookup("key", Map.of("k", "enterprise"), Optional.empty())),
            plain.rules());
    assertThat(CredentialMasking.over(tiers).of(plain.rules().get(0).match()))
        .hasToString("{tier: enterprise}");
  }

  /** However long the list of overrides is, and however little of it is different. */
  @Test
  void showsOverrideByFullNameWithOldAndNewLimit() {
    String name = "partners-of-the-northern-region-with-a-contract-since-2019";
    String rule =
        "{ name: a, per: user, limit: 1/s, overrides: [ { name: free, match: { tier: free },"
            + " limit: 2/s }, { name: %s, match: { tier: pro-2019 }, limit: %s }%s ] }";
    RuleChange change =
        RuleChange.between(
            rules(rule.formatted(name, "50/s", ", { match: { tier: old-2018 }, limit: 3/s }")),
            rules(rule.formatted(name, "60/s", ", { match: { tier: vip-2020 }, limit: 9/s }")));
    assertThat(change.changed().get(0).parts())
        .containsExactly(
            new RuleChange.Difference(
                "override " + name,
                "{tier: \"pr…19\"}: token-bucket 50 per 1s, burst 50",
                "{tier: \"pr…19\"}: token-bucket 60 per 1s, burst 60"),
            new RuleChange.Difference(
                "override {tier: \"vi…20\"}", "none", "token-bucket 9 per 1s, burst 9"),
            new RuleChange.Difference(
                "override {tier: \"ol…18\"}", "token-bucket 3 per 1s, burst 3", "none"));
  }

  @Test
  void reportsChangedOrderOfOverrides() {
    String one = "{ name: x, match: { tier: a }, limit: 2/s }";
    String two = "{ name: y, match: { tier: \"*\" }, limit: 3/s }";
    String rule = "{ name: a, limit: 1/s, overrides: [ %s, %s ] }";
    assertThat(
            RuleChange.between(rules(rule.formatted(one, two)), rules(rule.formatted(two, one)))
                .changed()
                .get(0)
                .parts())
        .containsExactly(new RuleChange.Difference("order of overrides", "x, y", "y, x"));
  }

  @Test
  void reportsDifferenceInHiddenValuesOnly() {
    String rule = "{ name: a, limit: 1/s, exempt: [ { api_key: sk_live_%s_ef } ] }";
    RuleChange change =
        RuleChange.between(rules(rule.formatted("one")), rules(rule.formatted("two")));
    assertThat(change.changed())
        .containsExactly(
            new RuleChange.Edit(
                "a",
                List.of(
                    new RuleChange.Difference("", "values that are not shown", "other values"))));
  }

  @Test
  void theLastHundredAreKept() {
    List<Change> published = new ArrayList<>();
    changes.each(published::add);
    changes.started(3);
    for (int i = 0; i < 100; i++) {
      changes.rejected(List.of(Problem.error(SourceLocation.NOWHERE, "wrong " + i)));
    }
    assertThat(changes.newest()).hasSize(100);
    assertThat(changes.newest().get(0).problems()).containsExactly("(program):1:1: wrong 99");
    assertThat(changes.newest().get(99).problems()).containsExactly("(program):1:1: wrong 0");
    assertThat(published).hasSize(101);
    assertThat(published.get(0).summary()).isEqualTo("started with 3 rules");
  }

  @Test
  void aLongListIsCutAndSaysSo() {
    RuleSet many =
        rules(
            IntStream.range(0, 50)
                .mapToObj(i -> "{ name: r" + i + ", limit: 1/s }")
                .collect(Collectors.joining(",")));
    changes.reloaded(RuleChange.between(rules("{ name: a, limit: 1/s }"), many));
    Change change = changes.newest().get(0);
    assertThat(change.added()).hasSize(20).contains("r0");
    assertThat(change.removed()).containsExactly("a");
    assertThat(change.more()).isEqualTo(30);
    assertThat(change.summary())
        .isEqualTo(RuleChange.between(rules("{ name: a, limit: 1/s }"), many).toString());

    changes.rejected(Collections.nCopies(30, Problem.error(SourceLocation.NOWHERE, "wrong")));
    assertThat(changes.newest().get(0).problems()).hasSize(20);
    assertThat(changes.newest().get(0).summary()).isEqualTo("30 problems, the old rules stay");
  }
}
