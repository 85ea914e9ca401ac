package io.weir.rules.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.rules.AttributeSource;
import io.weir.rules.Cost;
import io.weir.rules.Domain;
import io.weir.rules.Policy;
import io.weir.rules.Policy.Mode;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.rules.SourceLocation;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import io.weir.rules.match.Network;
import io.weir.rules.match.PathPattern;
import io.weir.rules.match.ValueMatcher.Absent;
import io.weir.rules.match.ValueMatcher.InNetwork;
import io.weir.rules.match.ValueMatcher.Is;
import io.weir.rules.match.ValueMatcher.OnPath;
import io.weir.rules.match.ValueMatcher.Present;
import io.weir.rules.match.ValueMatcher.StartsWith;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What Weir's own form means. */
class NativeFormTest {
  @TempDir Path directory;
  private RuleFileFixture ruleFileFixture;

  @BeforeEach
  void write() {
    ruleFileFixture = new RuleFileFixture(directory);
  }

  @ParameterizedTest
  @MethodSource
  void readsLimits(String text, Limit expected) {
    assertThat(ruleFileFixture.rule("rules: [{name: a, limit: " + text + "}]").limits())
        .containsExactly(expected);
  }

  static Stream<Arguments> readsLimits() {
    Duration second = Duration.ofSeconds(1);
    Duration day = Duration.ofDays(1);
    return Stream.of(
        Arguments.of("10 per second", new Limit.TokenBucket(10, second, 10)),
        Arguments.of("10/second", new Limit.TokenBucket(10, second, 10)),
        Arguments.of("10 / s", new Limit.TokenBucket(10, second, 10)),
        Arguments.of("'10  per  1s'", new Limit.TokenBucket(10, second, 10)),
        Arguments.of("{rate: 10/s}", new Limit.TokenBucket(10, second, 10)),
        Arguments.of("{rate: 10/s, burst: 100}", new Limit.TokenBucket(10, second, 100)),
        Arguments.of("0 per second", new Limit.TokenBucket(0, second, 0)),
        Arguments.of("1 per 250ms", new Limit.TokenBucket(1, Duration.ofMillis(250), 1)),
        Arguments.of("1 per 2h", new Limit.TokenBucket(1, Duration.ofHours(2), 1)),
        Arguments.of("1 per 7d", new Limit.TokenBucket(1, Duration.ofDays(7), 1)),
        Arguments.of("1 per 15 minutes", new Limit.TokenBucket(1, Duration.ofMinutes(15), 1)),
        Arguments.of("1 per 1 minute", new Limit.TokenBucket(1, Duration.ofMinutes(1), 1)),
        Arguments.of("1/30seconds", new Limit.TokenBucket(1, Duration.ofSeconds(30), 1)),
        Arguments.of("1 per 2 weeks", new Limit.TokenBucket(1, Duration.ofDays(14), 1)),
        Arguments.of("1 per day", new Limit.TokenBucket(1, day, 1)),
        Arguments.of("1 per week", new Limit.TokenBucket(1, Duration.ofDays(7), 1)),
        Arguments.of("{algorithm: leaky-bucket, rate: 2/s}", new Limit.LeakyBucket(2, second, 2)),
        Arguments.of(
            "{algorithm: leaky-bucket, rate: 2/s, queue: 0}", new Limit.LeakyBucket(2, second, 0)),
        Arguments.of("{algorithm: sliding-log, rate: 5/s}", new Limit.SlidingLog(5, second, false)),
        Arguments.of(
            "{algorithm: sliding-log, rate: 5/s, count_rejected: true}",
            new Limit.SlidingLog(5, second, true)),
        Arguments.of(
            "{algorithm: sliding-log, rate: 5/s, count_rejected: false}",
            new Limit.SlidingLog(5, second, false)),
        Arguments.of("{algorithm: sliding-window, rate: 5/s}", new Limit.SlidingWindow(5, second)),
        Arguments.of(
            "{algorithm: sliding-epochs, rate: 5/s}",
            new Limit.SlidingEpochs(5, second, 10, false)),
        Arguments.of(
            "{algorithm: sliding-epochs, rate: 5 per 15ms, epochs: 15, count_rejected: true}",
            new Limit.SlidingEpochs(5, Duration.ofMillis(15), 15, true)),
        Arguments.of(fixed("5/s"), window(new Limit.Length(second), ZoneOffset.UTC)),
        Arguments.of(fixed("5 per 1d"), window(new Limit.Length(day), ZoneOffset.UTC)),
        Arguments.of(fixed("5 per 1 day"), window(new Limit.Length(day), ZoneOffset.UTC)),
        Arguments.of(fixed("5 per day"), window(Limit.Calendar.DAY, ZoneOffset.UTC)),
        Arguments.of(fixed("5 per week"), window(Limit.Calendar.WEEK, ZoneOffset.UTC)),
        Arguments.of(fixed("5 per month"), window(Limit.Calendar.MONTH, ZoneOffset.UTC)),
        Arguments.of(fixed("5 per year"), window(Limit.Calendar.YEAR, ZoneOffset.UTC)),
        Arguments.of(fixed("5 per day, zone: UTC"), window(Limit.Calendar.DAY, ZoneOffset.UTC)),
        Arguments.of(
            fixed("5 per day, zone: Europe/Paris"),
            window(Limit.Calendar.DAY, ZoneId.of("Europe/Paris"))));
  }

  private static String fixed(String rest) {
    return "{algorithm: fixed-window, rate: " + rest + "}";
  }

  private static Limit window(Limit.Span span, ZoneId zone) {
    return new Limit.FixedWindow(5, span, zone);
  }

  @ParameterizedTest
  @MethodSource
  void readsMatches(String text, Match expected) {
    assertThat(ruleFileFixture.rule("rules: [{name: a, limit: 1/s, match: " + text + "}]").match())
        .isEqualTo(expected);
  }

  static Stream<Arguments> readsMatches() {
    return Stream.of(
        Arguments.of("{}", Match.EVERYTHING),
        Arguments.of("{tier: free}", on("tier", new Is("free"))),
        Arguments.of("{tier: [free, pro, free]}", on("tier", new Is("free"), new Is("pro"))),
        Arguments.of("{tier: '*'}", on("tier", new Present())),
        Arguments.of("{tier: ~}", on("tier", new Absent())),
        Arguments.of("{tier: null}", on("tier", new Absent())),
        Arguments.of("{tier: '~'}", on("tier", new Is("~"))),
        Arguments.of("{tier: 'null'}", on("tier", new Is("null"))),
        Arguments.of("{tier: [~, free]}", on("tier", new Absent(), new Is("free"))),
        Arguments.of("{tier: fr*}", on("tier", new StartsWith("fr"))),
        Arguments.of("{user: 007}", on("user", new Is("007"))),
        Arguments.of("{user: 1.50}", on("user", new Is("1.50"))),
        Arguments.of("{admin: true}", on("admin", new Is("true"))),
        Arguments.of("{admin: yes}", on("admin", new Is("yes"))),
        Arguments.of("{method: post}", on("method", new Is("POST"))),
        Arguments.of("{method: [get, head]}", on("method", new Is("GET"))),
        Arguments.of("{host: API.Example.com}", on("host", new Is("api.example.com"))),
        Arguments.of("{path: /a/*}", on("path", new OnPath(PathPattern.parse("/a/*")))),
        Arguments.of("{path: '/a/{id}'}", on("path", new OnPath(PathPattern.parse("/a/{id}")))),
        Arguments.of("{path: '*'}", on("path", new Present())),
        Arguments.of("{ip: 10.0.0.0/8}", on("ip", new InNetwork(Network.parse("10.0.0.0/8")))),
        Arguments.of("{ip: ~}", on("ip", new Absent())),
        Arguments.of(
            "{b: x, a: y}",
            Match.of(Condition.of("a", new Is("y")), Condition.of("b", new Is("x")))));
  }

  private static Match on(String attribute, io.weir.rules.match.ValueMatcher... valueMatchers) {
    return Match.of(new Condition(attribute, List.of(valueMatchers)));
  }

  @Test
  void aRuleOfNothingButItsLimitHasTheDefaults() {
    Rule rule = ruleFileFixture.rule("rules:\n  - limit: 5/s\n    name: a\n");
    assertThat(rule)
        .isEqualTo(
            Rule.named("a")
                .limit(Limit.tokenBucket(5).perSecond())
                .place(new SourceLocation(directory.resolve("r.yaml").toString(), 3, 11))
                .build());
    assertThat(rule.domain()).isEqualTo("default");
    assertThat(rule.policy()).isEqualTo(Policy.DEFAULT);
  }

  @Test
  void readsEveryFieldOfARule() {
    Rule rule =
        ruleFileFixture.rule(
            """
            domain: shop
            rules:
              - name: a:b.C_1-
                match: { method: POST }
                exempt:
                  - { ip: 10.0.0.0/8 }
                  - { tier: [staff, test] }
                per: [user, path]
                limits:
                  - 5 per second
                  - { algorithm: sliding-log, rate: 100 per hour }
                overrides:
                  - name: big
                    match: { tier: pro }
                    limits: [50 per second]
                  - { match: { tier: free }, limit: 1 per second }
                cost: size
                mode: shadow
                on_failure: local
                consistency: exact
            """);
    assertThat(rule.domain()).isEqualTo("shop");
    assertThat(rule.name()).isEqualTo("a:b.C_1-");
    assertThat(rule.exempt())
        .containsExactly(
            on("ip", new InNetwork(Network.parse("10.0.0.0/8"))),
            on("tier", new Is("staff"), new Is("test")));
    assertThat(rule.per()).containsExactly("user", "path");
    assertThat(rule.limits())
        .containsExactly(
            Limit.tokenBucket(5).perSecond(), Limit.slidingLog(100).per(Duration.ofHours(1)));
    assertThat(rule.ruleOverrides())
        .extracting(ruleOverride -> ruleOverride.id() + " " + ruleOverride.limits())
        .containsExactly(
            "big [token-bucket 50 per 1s, burst 50]",
            "{tier: free} [token-bucket 1 per 1s, burst 1]");
    assertThat(rule.cost()).isEqualTo(new Cost.OfAttribute("size"));
    assertThat(rule.policy())
        .isEqualTo(new Policy(Mode.SHADOW, OnFailure.LOCAL, Consistency.EXACT));
  }

  @ParameterizedTest
  @CsvSource({"5,5", "0,0", "'\"7\"',7"})
  void readsCosts(String text, long expected) {
    assertThat(ruleFileFixture.rule("rules: [{name: a, limit: 1/s, cost: " + text + "}]").cost())
        .isEqualTo(new Cost.Fixed(expected));
  }

  @ParameterizedTest
  @CsvSource({
    "consistency: exact,ALLOW",
    "consistency: strict,DENY",
    "'consistency: strict, on_failure: deny',DENY",
    "'consistency: exact, on_failure: deny',DENY",
    "on_failure: error,ERROR"
  })
  void readsOnFailure(String fields, OnFailure expected) {
    Rule rule = ruleFileFixture.rule("rules: [{name: a, limit: 1/s, " + fields + "}]");
    assertThat(rule.policy().onFailure()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "consistency: exact,EXACT",
    "consistency: strict,STRICT",
    "consistency: leased,LEASED",
    "consistency: eventual,EVENTUAL",
    "cost: 1,EXACT"
  })
  void readsConsistency(String fields, Consistency expected) {
    Rule rule = ruleFileFixture.rule("rules: [{name: a, limit: 1/s, " + fields + "}]");
    assertThat(rule.policy().consistency()).isEqualTo(expected);
  }

  @Test
  void readsAttributes() {
    ruleFileFixture.file("tiers.csv", "key,value\nk1,pro\n\"k,2\",\"the \"\"best\"\"\"\n");
    RuleSet rules =
        ruleFileFixture.rules(
            """
            attributes:
              api_key: { header: X-API-Key }
              session: { cookie: sid }
              page: { query: 'page number' }
              tier: { lookup: api_key, in: tiers.csv, default: free }
              plan: { lookup: tier, map: { pro: 1, free: 0 } }
              client: { first_of: [api_key, ip] }
            rules: []
            """);
    Domain domain = rules.domains().get(0);
    assertThat(domain.attributes())
        .containsOnly(
            Map.entry("api_key", field(AttributeSource.Field.Kind.HEADER, "X-API-Key")),
            Map.entry("session", field(AttributeSource.Field.Kind.COOKIE, "sid")),
            Map.entry("page", field(AttributeSource.Field.Kind.QUERY, "page number")),
            Map.entry(
                "tier",
                new AttributeSource.Lookup(
                    "api_key", Map.of("k1", "pro", "k,2", "the \"best\""), Optional.of("free"))),
            Map.entry(
                "plan",
                new AttributeSource.Lookup(
                    "tier", Map.of("pro", "1", "free", "0"), Optional.empty())),
            Map.entry("client", new AttributeSource.FirstOf(List.of("api_key", "ip"))));
  }

  private static AttributeSource field(AttributeSource.Field.Kind kind, String name) {
    return new AttributeSource.Field(kind, name);
  }

  @Test
  void aliasesRepeatAValue() {
    RuleSet rules =
        ruleFileFixture.rules(
            """
            rules:
              - { name: a, limit: &fast { rate: 5 per second, burst: 50 } }
              - { name: b, limit: *fast }
            """);
    assertThat(rules.rules())
        .extracting(Rule::limits)
        .containsOnly(List.of(Limit.tokenBucket(5).perSecond().burst(50)));
  }
}
