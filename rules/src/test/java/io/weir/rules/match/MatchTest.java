package io.weir.rules.match;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The text form of a match is unique, because it identifies an override. */
class MatchTest {
  static Stream<Arguments> written() {
    return Stream.of(
        Arguments.of("{}", Match.EVERYTHING),
        Arguments.of("{tier: free}", Match.of(is("tier", "free"))),
        Arguments.of(
            "{method: GET, tier: [free, pro]}",
            Match.of(
                new Condition(
                    "tier", List.of(new ValueMatcher.Is("free"), new ValueMatcher.Is("pro"))),
                is("method", "GET"))),
        Arguments.of("{user: *}", Match.of(Condition.of("user", new ValueMatcher.Present()))),
        Arguments.of("{user: ~}", Match.of(Condition.of("user", new ValueMatcher.Absent()))),
        Arguments.of(
            "{agent: curl*}", Match.of(Condition.of("agent", new ValueMatcher.StartsWith("curl")))),
        Arguments.of(
            "{path: /a/{id}/**}",
            Match.of(
                Condition.of("path", new ValueMatcher.OnPath(PathPattern.parse("/a/{id}/**"))))),
        Arguments.of(
            "{ip: 10.0.0.0/8}",
            Match.of(Condition.of("ip", new ValueMatcher.InNetwork(Network.parse("10.0.0.0/8"))))));
  }

  @ParameterizedTest
  @MethodSource("written")
  void isWrittenOut(String text, Match match) {
    assertThat(match).hasToString(text);
  }

  @org.junit.jupiter.api.Test
  void differentMatchesAreWrittenDifferently() {
    List<Match> matches = new ArrayList<>();
    for (String value :
        List.of("~", "*", "a*", "a", "", "[a, b]", "a, b: c", "\"a\"", "a\\", "a}")) {
      matches.add(Match.of(is("x", value)));
      matches.add(Match.of(is(value + "y", "z")));
      matches.add(Match.of(Condition.of("x", new ValueMatcher.StartsWith(value))));
    }
    matches.add(Match.of(Condition.of("x", new ValueMatcher.Absent())));
    matches.add(Match.of(Condition.of("x", new ValueMatcher.Present())));
    matches.add(
        Match.of(new Condition("x", List.of(new ValueMatcher.Is("a"), new ValueMatcher.Is("b")))));
    matches.add(Match.of(is("a", "b"), is("x", "c")));
    Set<String> texts = matches.stream().map(Match::toString).collect(Collectors.toSet());
    assertThat(texts).hasSize(matches.size());
  }

  private static Condition is(String attribute, String value) {
    return Condition.of(attribute, new ValueMatcher.Is(value));
  }
}
