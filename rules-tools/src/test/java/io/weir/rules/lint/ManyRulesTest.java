package io.weir.rules.lint;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.rules.AttributeSource;
import io.weir.rules.Domain;
import io.weir.rules.Problem;
import io.weir.rules.Rule;
import io.weir.rules.RuleOverride;
import io.weir.rules.RuleSet;
import io.weir.rules.SourceLocation;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import io.weir.rules.match.Network;
import io.weir.rules.match.PathPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Many rules are looked through, whatever they look like; by the square it would not end. */
@Tag("slow")
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ManyRulesTest {
  private static final int RULES = 20_000;

  private static final String SAME = " is the same as rule ";
  private static final String IMPOSSIBLE = " never matches, so the rule never applies";
  private static final String UNCOVERED = "no rule covers requests ";
  private static final String POINTLESS = " never refuses what rule ";
  private static final String DEAD = "override";

  /** Limits repeat after a hundred rules, and two are only comparable where they are the same. */
  static Stream<Arguments> kinds() {
    return Stream.<Arguments>of(
        kind(
            "paths",
            i -> rule(i, on("path", path("/api/v" + i % 10 + "/r" + i + "/{id}"))),
            Map.of(UNCOVERED, 1L)),
        kind(
            "deep paths", // paths, tiers and limits repeat together after 3000
            i -> rule(i, on("path", path("/r" + i % 1000 + "/**")), tier(i)),
            Map.of(SAME, RULES - 3000L, IMPOSSIBLE, RULES / 3L, UNCOVERED, 1L)),
        kind("tiers", i -> rule(i, tier(i)), Map.of(SAME, RULES - 300L, IMPOSSIBLE, RULES / 3L)),
        kind("networks", i -> rule(i, on("ip", network(i))), Map.of(UNCOVERED, 1L)),
        kind("everything", i -> rule(i), Map.of(SAME, RULES - 100L)),
        kind(
            "prefixes", // of 667 numbers a shorter beginning has the same last two digits
            i -> rule(i, on("user", new io.weir.rules.match.ValueMatcher.StartsWith("u" + i))),
            Map.of(UNCOVERED, 1L, POINTLESS, 667L)),
        Arguments.of("overrides", List.of(withOverrides()), Map.of(DEAD, RULES / 2L - 1)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("kinds")
  void lintsManyRulesInTime(String kind, List<Rule> rules, Map<String, Long> expected) {
    RuleSet set = RuleSet.of(new Domain("default", ATTRIBUTES, rules));

    assertThat(
            Lint.of(set).stream()
                .collect(Collectors.groupingBy(ManyRulesTest::about, Collectors.counting())))
        .isEqualTo(expected);
  }

  private static String about(Problem warning) {
    return Stream.of(SAME, IMPOSSIBLE, UNCOVERED, POINTLESS, DEAD)
        .filter(warning.message()::contains)
        .findFirst()
        .orElse(warning.message());
  }

  private static final Map<String, AttributeSource> ATTRIBUTES =
      Map.of(
          "user",
          new AttributeSource.Field(AttributeSource.Field.Kind.HEADER, "X-User"),
          "tier",
          new AttributeSource.Lookup("user", Map.of("a", "tier1"), Optional.of("tier0")));

  private static Arguments kind(String name, IntFunction<Rule> rule, Map<String, Long> expected) {
    return Arguments.of(name, IntStream.range(0, RULES).mapToObj(rule).toList(), expected);
  }

  private static Rule rule(int i, Condition... conditions) {
    return Rule.named("r" + i)
        .match(Match.of(conditions))
        .per("ip")
        .limit(Limit.tokenBucket(1 + i % 100).perSecond().burst(200 - i % 100))
        .build();
  }

  private static Rule withOverrides() {
    List<RuleOverride> ruleOverrides = new ArrayList<>();
    for (int i = 0; i < RULES; i++) {
      Match match =
          Match.of(
              on(
                  "user",
                  i == RULES / 2 // after this none is ever reached
                      ? new io.weir.rules.match.ValueMatcher.StartsWith("user")
                      : new io.weir.rules.match.ValueMatcher.Is("user" + i)));
      ruleOverrides.add(
          new RuleOverride(
              Optional.empty(),
              match,
              List.of(Limit.tokenBucket(5).perSecond()),
              SourceLocation.NOWHERE));
    }
    return Rule.named("all")
        .limit(Limit.tokenBucket(5).perSecond())
        .variants(ruleOverrides)
        .build();
  }

  private static Condition on(String attribute, io.weir.rules.match.ValueMatcher valueMatcher) {
    return Condition.of(attribute, valueMatcher);
  }

  private static Condition tier(int i) {
    return on("tier", new io.weir.rules.match.ValueMatcher.Is("tier" + i % 3));
  }

  private static io.weir.rules.match.ValueMatcher path(String pattern) {
    return new io.weir.rules.match.ValueMatcher.OnPath(PathPattern.parse(pattern));
  }

  private static io.weir.rules.match.ValueMatcher network(int i) {
    String text = (10 + i / 65536) + "." + (i / 256) % 256 + "." + i % 256 + ".0/24";
    return new io.weir.rules.match.ValueMatcher.InNetwork(Network.parse(text));
  }
}
