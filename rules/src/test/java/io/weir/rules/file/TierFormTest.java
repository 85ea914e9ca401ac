package io.weir.rules.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.rules.AttributeSource;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the form with {@code rate_limits} means. */
class TierFormTest {
  private static final String DEFAULT =
      "rate_limits:\n  default: { bucket_capacity: 1, refill_rate: 1 }\n";

  @TempDir Path directory;
  private RuleFileFixture ruleFileFixture;

  @BeforeEach
  void write() {
    ruleFileFixture = new RuleFileFixture(directory);
  }

  @ParameterizedTest
  @CsvSource({
    "10, 10, 1",
    "0.1, 1, 10",
    "2.5, 25, 10",
    "10.0, 10, 1",
    "0.30, 3, 10",
    "100, 100, 1",
    "0.125, 125, 1000",
    "0.000000001, 1, 1000000000"
  })
  void aRateIsTheExactDecimal(String text, long permits, long seconds) {
    String file = "rate_limits: {default: {bucket_capacity: 1, refill_rate: " + text + "}}";
    assertThat(ruleFileFixture.rule(file).limits())
        .containsExactly(new Limit.TokenBucket(permits, Duration.ofSeconds(seconds), 1));
  }

  @Test
  void namesItsRulesAndItsClients() {
    RuleSet rules =
        ruleFileFixture.rules(
            DEFAULT
                + "  tiers: { free: { bucket_capacity: 1, refill_rate: 1 } }\n"
                + "  endpoint_overrides: { /a/b/: { bucket_capacity: 1, refill_rate: 1 } }\n");
    assertThat(rules.rules())
        .extracting(rule -> rule.name() + " " + rule.match() + " exempt " + rule.exempt())
        .containsExactly(
            "default {} exempt [{path: /a/b}, {tier: free}]",
            "tier:free {tier: free} exempt [{path: /a/b}]",
            "endpoint:/a/b/ {path: /a/b} exempt []");
    assertThat(rules.rules()).extracting(Rule::per).containsOnly(List.of("client"));
    assertThat(rules.domains().get(0).attributes())
        .containsOnly(
            Map.entry(
                "api_key",
                new AttributeSource.Field(AttributeSource.Field.Kind.HEADER, "X-API-Key")),
            Map.entry("client", new AttributeSource.FirstOf(List.of("api_key", "ip"))));
  }

  @Test
  void declaredAttributesReplaceItsOwn() {
    RuleSet rules =
        ruleFileFixture.rules(
            DEFAULT
                + "domain: shop\nattributes:\n"
                + "  client: { header: X-Client }\n"
                + "  tier: { lookup: client, map: { a: free } }\n");
    assertThat(rules.domains().get(0).name()).isEqualTo("shop");
    assertThat(rules.domains().get(0).attributes())
        .containsEntry(
            "client", new AttributeSource.Field(AttributeSource.Field.Kind.HEADER, "X-Client"))
        .containsKeys("tier", "api_key");
  }

  @Test
  void attributesOfAnotherFileOfTheDomainWinAsWell() {
    Path limits = ruleFileFixture.file("1.yaml", DEFAULT);
    Path attributes =
        ruleFileFixture.file("2.yaml", "attributes: { client: { cookie: sid } }\nrules: []\n");
    assertThat(RuleFiles.load(List.of(limits, attributes)).domains().get(0).attributes())
        .containsEntry(
            "client", new AttributeSource.Field(AttributeSource.Field.Kind.COOKIE, "sid"));
  }
}
