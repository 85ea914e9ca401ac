package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Limit;
import io.weir.rules.AttributeSource.Field;
import io.weir.rules.AttributeSource.FirstOf;
import io.weir.rules.AttributeSource.Lookup;
import io.weir.rules.engine.PendingCharge;
import io.weir.rules.match.Condition;
import io.weir.rules.match.MalformedRequestException;
import io.weir.rules.match.Match;
import io.weir.rules.match.PathPattern;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which rules apply to a request, under which key, at which cost. */
class RuleSetTest {
  private static final Limit LIMIT = Limit.tokenBucket(10).perSecond();

  @Test
  void everyRuleThatMatchesAppliesInTheOrderOfTheFile() {
    RuleSet rules =
        rules(
            Rule.named("b").match(is("method", "GET")),
            Rule.named("a"),
            Rule.named("never").match(is("method", "POST")),
            Rule.named("c").match(is("method", "GET")));

    assertThat(names(rules, Requests.of("method", "GET"))).containsExactly("b", "a", "c");
  }

  @Test
  void allConditionsMustHold() {
    RuleSet rules =
        rules(
            Rule.named("both")
                .match(Match.of(condition("user", "1"), condition("tier", "free", "pro"))));

    assertThat(names(rules, Requests.of("user", "1", "tier", "pro"))).containsExactly("both");
    assertThat(names(rules, Requests.of("user", "1", "tier", "max"))).isEmpty();
    assertThat(names(rules, Requests.of("tier", "pro"))).isEmpty();
  }

  @Test
  void aRuleWithoutPerHasOneBucket() {
    assertThat(keys(rules(Rule.named("all")), Requests.of("user", "1"))).containsExactly("");
  }

  @Test
  void aKeyIsTheValuesOfPer() {
    RuleSet rules = rules(Rule.named("pair").per("user", "tier"));

    assertThat(keys(rules, Requests.of("user", "1", "tier", "pro"))).containsExactly("1|pro");
    assertThat(keys(rules, Requests.of("user", "a|b", "tier", "c\\d")))
        .containsExactly("a\\|b|c\\\\d");
  }

  @Test
  void aRequestThatLacksAnAttributeOfPerIsNotCovered() {
    RuleSet rules = rules(Rule.named("pair").per("user", "tier"), Rule.named("one").per("user"));

    assertThat(names(rules, Requests.of("user", "1"))).containsExactly("one");
    assertThat(names(rules, Requests.of("user", "", "tier", "pro"))).isEmpty();
  }

  @Test
  void attributesComeFromFieldsOfHttpRequestsOrByTheirName() {
    RuleSet rules =
        rules(
            Map.of("api_key", new Field(Field.Kind.HEADER, "X-API-Key")),
            Rule.named("key").per("api_key"));

    assertThat(keys(rules, Requests.of().fields("X-API-Key", "k1"))).containsExactly("k1");
    assertThat(keys(rules, Requests.of("api_key", "k2"))).containsExactly("k2");
  }

  @Test
  void derivedAttributesAreComputedEvenIfTheRequestHasOneOfThatName() {
    RuleSet rules =
        rules(
            Map.of(
                "tier", new Lookup("api_key", Map.of("k1", "pro"), Optional.of("free")),
                "client", new FirstOf(List.of("api_key", "ip"))),
            Rule.named("client").per("client", "tier"));

    assertThat(keys(rules, Requests.of("api_key", "k1", "tier", "max", "client", "x")))
        .containsExactly("k1|pro");
    assertThat(keys(rules, Requests.of("api_key", "k2"))).containsExactly("k2|free");
    assertThat(keys(rules, Requests.of("ip", "10.0.0.1"))).containsExactly("10.0.0.1|free");
  }

  @Test
  void aLookupWithoutDefaultMayFindNothing() {
    RuleSet rules =
        rules(
            Map.of("tier", new Lookup("api_key", Map.of("k1", "pro"), Optional.empty())),
            Rule.named("tier").per("tier"));

    assertThat(names(rules, Requests.of("api_key", "k2"))).isEmpty();
  }

  @Test
  void aNamedSegmentIsAnAttributeOfItsRule() {
    RuleSet rules =
        rules(
            Rule.named("order")
                .match(
                    Match.of(
                        onPath("/users/{user}/orders", "/{user}"),
                        condition("user", "1", "2", "users")))
                .exempt(List.of(is("user", "2")))
                .variants(List.of(variant(is("user", "users"), Limit.slidingLog(1).perSecond())))
                .per("user"),
            Rule.named("header").per("user"));

    assertThat(keys(rules, Requests.of("path", "/users/1/orders"))).containsExactly("1");
    assertThat(keys(rules, Requests.of("path", "/users/2/orders"))).isEmpty();
    assertThat(keys(rules, Requests.of("path", "/users/3/orders"))).isEmpty();
    assertThat(rules.charges(Requests.of("path", "/users")))
        .singleElement()
        .satisfies(charge -> assertThat(charge.limitGroup().ruleOverride()).isPresent());
    assertThat(keys(rules, Requests.of("path", "/users/1/orders", "user", "7")))
        .containsExactly("1", "7");
  }

  @Test
  void exemptRequestsAreNotCounted() {
    RuleSet rules =
        rules(Rule.named("r").exempt(List.of(is("user", "admin"), is("tier", "staff"))));

    assertThat(names(rules, Requests.of("user", "admin"))).isEmpty();
    assertThat(names(rules, Requests.of("tier", "staff", "user", "x"))).isEmpty();
    assertThat(names(rules, Requests.of("user", "x"))).containsExactly("r");
    assertThat(names(rules(Rule.named("r").exempt(List.of(Match.EVERYTHING))), Requests.of()))
        .isEmpty();
  }

  @Test
  void theFirstOverrideThatMatchesReplacesTheLimit() {
    Limit first = Limit.tokenBucket(1).perSecond();
    Limit second = Limit.tokenBucket(2).perSecond();
    RuleSet rules =
        rules(
            Rule.named("r")
                .variants(
                    List.of(variant(is("tier", "free"), first), variant(is("user", "1"), second))));

    assertThat(limits(rules, Requests.of("tier", "free", "user", "1"))).containsExactly(first);
    assertThat(limits(rules, Requests.of("user", "1"))).containsExactly(second);
    assertThat(limits(rules, Requests.of())).containsExactly(LIMIT);
  }

  @Test
  void bucketsDifferByDomainRulePerAndOverride() {
    RuleOverride one = variant(is("tier", "free"), LIMIT);
    RuleOverride two = variant(is("tier", "pro"), LIMIT);
    Domain a =
        new Domain(
            "a",
            Map.of(),
            List.of(
                rule(Rule.named("x").domain("a").variants(List.of(one, two))),
                rule(Rule.named("y").domain("a").per("user"))));
    Domain b =
        new Domain("b", Map.of(), List.of(rule(Rule.named("x").domain("b").per("user", "tier"))));

    assertThat(RuleSet.of(List.of(a, b)).limitGroups().stream().map(LimitGroup::id))
        .hasSize(5)
        .doesNotHaveDuplicates();
    assertThat(
            new RuleOverride(
                    Optional.of("x"), is("tier", "free"), List.of(), SourceLocation.NOWHERE)
                .id())
        .isEqualTo("x");
    assertThat(variant(Match.of(condition("b", "1"), condition("a", "2")), LIMIT).id())
        .isEqualTo(variant(Match.of(condition("a", "2"), condition("b", "1")), LIMIT).id());
  }

  @Test
  void ruleThatIsOffDoesNotApply() {
    RuleSet rules = rules(Rule.named("r").policy(Policy.DEFAULT.with(Policy.Mode.OFF)));

    assertThat(names(rules, Requests.of())).isEmpty();
    assertThat(rules.rules()).hasSize(1);
  }

  @Test
  void readsCosts() {
    RuleSet rules =
        rules(
            Rule.named("own"),
            Rule.named("fixed").cost(new Cost.Fixed(3)),
            Rule.named("of").cost(new Cost.OfAttribute("size")));

    assertThat(rules.charges(Requests.of().costing(5)).stream().map(PendingCharge::cost))
        .containsExactly(5L, 3L, 1L);
    assertThat(rules.charges(Requests.of("size", "7")).stream().map(PendingCharge::cost))
        .containsExactly(1L, 3L, 7L);
  }

  @ParameterizedTest
  @CsvSource({"٣", "x", "-1", "1.5", "+1", "1e3", "99999999999999999999", "' 1'"})
  void invalidCostMakesRequestMalformed(String cost) {
    RuleSet rules = rules(Rule.named("of").cost(new Cost.OfAttribute("size")));

    assertThatThrownBy(() -> rules.charges(Requests.of("size", cost)))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessageContaining("size");
  }

  @Test
  void limitOfZeroRefusesRequestOfNoCost() {
    Rule nothing = Rule.named("none").limit(Limit.fixedWindow(0).perDay()).build();
    RuleSet rules = RuleSet.of(new Domain("default", Map.of(), List.of(nothing)));

    assertThat(RequestLimiter.builder(rules).build().check(Requests.of().costing(0)).allowed())
        .isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "method, HEAD, GET",
    "method, get, GET",
    "method, PATCH, PATCH",
    "host, Example.COM:8080, example.com",
    "host, example.com., example.com",
    "host, '[::1]:80', '[::1]'",
    "host, '[::1]', '[::1]'",
    "host, ':80', ''",
    "path, /a/, /a",
    "other, As-It/Is, As-It/Is",
  })
  void normalizesValues(String attribute, String given, String form) {
    RuleSet rules = rules(Rule.named("r").per(attribute));

    if (form.isEmpty()) {
      assertThat(keys(rules, Requests.of(attribute, given))).isEmpty();
    } else {
      assertThat(keys(rules, Requests.of(attribute, given))).containsExactly(form);
    }
  }

  @Test
  void readsAttributeOnceAndOnlyIfNeeded() {
    RuleSet rules =
        rules(
            Rule.named("a").match(is("method", "GET")).per("user"),
            Rule.named("b").match(is("method", "GET")).per("user"),
            Rule.named("c").match(is("method", "POST")).per("tier"));
    List<String> names = new java.util.ArrayList<>();

    rules.charges(
        name -> {
          names.add(name);
          return name.equals("method") ? "GET" : "x";
        });

    assertThat(names).containsExactlyInAnyOrder("method", "user");
  }

  @Test
  void namesAreUnique() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> rules(Rule.named("r"), Rule.named("r")))
        .withMessageContaining("'r'");
    Domain domain = new Domain("d", Map.of(), List.of());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RuleSet.of(List.of(domain, domain)))
        .withMessageContaining("'d'");
  }

  @Test
  void noTwoOverridesOfARuleShareBuckets() {
    RuleOverride one =
        new RuleOverride(
            Optional.of("same"), is("tier", "a"), List.of(LIMIT), SourceLocation.NOWHERE);
    RuleOverride two =
        new RuleOverride(
            Optional.of("same"), is("tier", "b"), List.of(LIMIT), SourceLocation.NOWHERE);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> rules(Rule.named("r").variants(List.of(one, two))))
        .withMessageContaining("two overrides");
  }

  @Test
  void noAttributeIsDerivedFromItself() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                rules(
                    Map.of(
                        "a", new FirstOf(List.of("ip", "b")),
                        "b", new Lookup("a", Map.of(), Optional.empty()))))
        .withMessageContaining("derived from itself");
  }

  private static RuleSet rules(Rule.Builder... rules) {
    return rules(Map.of(), rules);
  }

  private static RuleSet rules(Map<String, AttributeSource> attributes, Rule.Builder... rules) {
    List<Rule> built = java.util.Arrays.stream(rules).map(RuleSetTest::rule).toList();
    return RuleSet.of(new Domain(Rule.DEFAULT_DOMAIN, attributes, built));
  }

  private static Rule rule(Rule.Builder rule) {
    return rule.limit(LIMIT).build();
  }

  private static RuleOverride variant(Match match, Limit limit) {
    return new RuleOverride(Optional.empty(), match, List.of(limit), SourceLocation.NOWHERE);
  }

  private static Match is(String attribute, String value) {
    return Match.of(condition(attribute, value));
  }

  private static Condition condition(String attribute, String... values) {
    return new Condition(
        attribute,
        java.util.Arrays.stream(values)
            .map(io.weir.rules.match.ValueMatcher.Is::new)
            .map(io.weir.rules.match.ValueMatcher.class::cast)
            .toList());
  }

  private static Condition onPath(String... patterns) {
    return new Condition(
        "path",
        java.util.Arrays.stream(patterns)
            .map(PathPattern::parse)
            .map(io.weir.rules.match.ValueMatcher.OnPath::new)
            .map(io.weir.rules.match.ValueMatcher.class::cast)
            .toList());
  }

  private static List<String> names(RuleSet rules, Request request) {
    return rules.charges(request).stream().map(charge -> charge.rule().name()).toList();
  }

  private static List<String> keys(RuleSet rules, Request request) {
    return rules.charges(request).stream().map(PendingCharge::key).toList();
  }

  private static List<Limit> limits(RuleSet rules, Request request) {
    return rules.charges(request).stream().flatMap(c -> c.limitGroup().limits().stream()).toList();
  }
}
