package io.weir.rules.lint;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.rules.AttributeSource;
import io.weir.rules.Domain;
import io.weir.rules.Place;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.rules.Variant;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import io.weir.rules.match.Network;
import io.weir.rules.match.PathPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Fifty thousand rules are looked through, whatever they look like: by the square it would be
 * hours.
 */
@Tag("slow")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ManyRulesTest {
  private static final int RULES = 50_000;

  static Stream<Arguments> kinds() {
    return Stream.<Arguments>of(
        kind("paths", i -> rule(i, on("path", path("/api/v" + i % 10 + "/r" + i + "/{id}")))),
        kind("deep paths", i -> rule(i, on("path", path("/r" + i % 1000 + "/**")), tier(i))),
        kind("tiers", i -> rule(i, tier(i))),
        kind("networks", i -> rule(i, on("ip", network(i)))),
        kind("everything", i -> rule(i)),
        kind(
            "prefixes", i -> rule(i, on("user", new io.weir.rules.match.Test.StartsWith("u" + i)))),
        Arguments.of("overrides", List.of(withOverrides())));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("kinds")
  void areLookedThrough(String kind, List<Rule> rules) {
    RuleSet set = RuleSet.of(new Domain("default", ATTRIBUTES, rules));
    assertThat(Lint.of(set)).as(kind).isNotNull();
  }

  private static final Map<String, AttributeSource> ATTRIBUTES =
      Map.of(
          "user",
          new AttributeSource.Field(AttributeSource.Field.Kind.HEADER, "X-User"),
          "tier",
          new AttributeSource.Lookup("user", Map.of("a", "tier1"), Optional.of("tier0")));

  private static Arguments kind(String name, IntFunction<Rule> rule) {
    return Arguments.of(name, IntStream.range(0, RULES).mapToObj(rule).toList());
  }

  private static Rule rule(int i, Condition... conditions) {
    return Rule.named("r" + i)
        .match(Match.of(conditions))
        .per("ip")
        .limit(Limit.tokenBucket(1 + i % 100).perSecond().burst(200 - i % 100))
        .build();
  }

  private static Rule withOverrides() {
    List<Variant> variants = new ArrayList<>();
    for (int i = 0; i < RULES; i++) {
      Match match = Match.of(on("user", new io.weir.rules.match.Test.Is("user" + i)));
      variants.add(
          new Variant(
              Optional.empty(), match, List.of(Limit.tokenBucket(5).perSecond()), Place.NOWHERE));
    }
    return Rule.named("all").limit(Limit.tokenBucket(5).perSecond()).variants(variants).build();
  }

  private static Condition on(String attribute, io.weir.rules.match.Test test) {
    return Condition.of(attribute, test);
  }

  private static Condition tier(int i) {
    return on("tier", new io.weir.rules.match.Test.Is("tier" + i % 3));
  }

  private static io.weir.rules.match.Test path(String pattern) {
    return new io.weir.rules.match.Test.OnPath(PathPattern.parse(pattern));
  }

  private static io.weir.rules.match.Test network(int i) {
    String text = (10 + i / 65536) + "." + (i / 256) % 256 + "." + i % 256 + ".0/24";
    return new io.weir.rules.match.Test.InNetwork(Network.parse(text));
  }
}
