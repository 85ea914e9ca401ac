package io.weir.rules.lint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.weir.rules.match.Address;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import io.weir.rules.match.Network;
import io.weir.rules.match.PathPattern;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the algebra says of matches is true of every request, and it says enough to be of use. */
class MatchAlgebraProperties {
  private static final List<String> ATTRIBUTES = List.of("ip", "path", "user");
  private static final List<String> USERS = List.of("a", "ab", "abc", "b", "ba");
  private static final List<String> PATHS =
      List.of(
          "/",
          "/a",
          "/a/b",
          "/a/b/c",
          "/b",
          "/b/a",
          "/a/a",
          "/c/b",
          "/b/b",
          "/c/b/c/d",
          "/a/b/c/d",
          "/b/b/c");
  private static final List<String> PATTERNS =
      List.of(
          "/",
          "/a",
          "/a/b",
          "/*",
          "/{x}",
          "/**",
          "/a/*",
          "/a/{x}",
          "/a/**",
          "/*/b",
          "/{x}/b/*",
          "/{x}/b/**",
          "/*/*",
          "/b/**",
          "/a/b/c");
  private static final List<String> ADDRESSES =
      List.of("10.0.0.1", "10.0.1.1", "10.1.0.1", "11.0.0.1", "2001:db8::1", "2001:db9::1", "::1");
  private static final List<String> NETWORKS =
      List.of(
          "10.0.0.0/8",
          "10.0.0.0/16",
          "10.0.0.0/24",
          "10.0.0.1",
          "10.0.1.0/24",
          "0.0.0.0/0",
          "2001:db8::/32",
          "2001:db8::1",
          "2001:db8::/31",
          "::/0",
          "10.0.0.1/32");

  private static final Map<String, Address> PARSED = new HashMap<>();

  @Test
  void whatIsCoveredHoldsAndWhatIsDisjointNeverMeets() {
    Random random = new Random(1);
    List<Known> requests = requests();
    int covering = 0;
    int disjoint = 0;
    for (int round = 0; round < 10_000; round++) {
      Match one = match(random);
      Match other = match(random);
      boolean covers = MatchAlgebra.covers(one, other);
      boolean isDisjoint = MatchAlgebra.areDisjoint(one, other);
      covering += covers ? 1 : 0;
      disjoint += isDisjoint ? 1 : 0;
      if (covers || isDisjoint) {
        for (Known request : requests) {
          boolean first = holds(one, request);
          boolean second = holds(other, request);
          if ((covers && second && !first) || (isDisjoint && second && first)) {
            fail("%s %s %s".formatted(one, covers ? "does not cover" : "meets", other));
          }
        }
      }
    }
    assertThat(covering).isGreaterThan(500);
    assertThat(disjoint).isGreaterThan(500);
  }

  @Test
  void severalMatchesTogetherAreCoveredWhereBothHold() {
    Random random = new Random(2);
    List<Known> requests = requests();
    for (int round = 0; round < 5_000; round++) {
      Match wide = match(random);
      Match one = match(random);
      Match other = match(random);
      if (MatchAlgebra.covers(wide, one, other)) {
        for (Known request : requests) {
          if (holds(one, request) && holds(other, request) && !holds(wide, request)) {
            fail("%s does not cover %s and %s".formatted(wide, one, other));
          }
        }
      }
    }
  }

  /** For single tests of one kind the algebra knows all that there is to know. */
  @Test
  void nothingIsMissedAmongSingleTests() {
    List<io.weir.rules.match.ValueMatcher> paths =
        PATTERNS.stream()
            .<io.weir.rules.match.ValueMatcher>map(MatchAlgebraProperties::onPath)
            .toList();
    List<io.weir.rules.match.ValueMatcher> networks =
        NETWORKS.stream()
            .<io.weir.rules.match.ValueMatcher>map(
                text -> new io.weir.rules.match.ValueMatcher.InNetwork(Network.parse(text)))
            .toList();
    requireComplete("path", paths);
    requireComplete("ip", networks);
  }

  private static void requireComplete(
      String attribute, List<io.weir.rules.match.ValueMatcher> valueMatchers) {
    List<Known> requests = requests();
    for (io.weir.rules.match.ValueMatcher one : valueMatchers) {
      for (io.weir.rules.match.ValueMatcher other : valueMatchers) {
        Match first = Match.of(Condition.of(attribute, one));
        Match second = Match.of(Condition.of(attribute, other));
        boolean meet =
            requests.stream().anyMatch(each -> holds(first, each) && holds(second, each));
        boolean covers =
            requests.stream().noneMatch(each -> holds(second, each) && !holds(first, each));
        assertThat(MatchAlgebra.areDisjoint(first, second))
            .as("%s, %s", one, other)
            .isEqualTo(!meet);
        assertThat(covers || !MatchAlgebra.covers(first, second)).isTrue();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/**,       /a/{x}/b,  true",
    "/a/**,     /a,        true",
    "/a/**,     /a/**,     true",
    "/a/*,      /a/{id},   true",
    "/a/{id},   /a/*,      true",
    "/{x}/b,    /a/b,      true",
    "/*/b/**,   /{x}/b/c,  true",
    "/a/*,      /a,        false",
    "/a/*,      /a/**,     false",
    "/a/b,      /a/*,      false",
    "/a/*,      /a/b/c,    false",
    "/a/**,     /ab,       false",
    "/a/b/**,   /a/**,     false",
  })
  void pathsCoverPaths(String wide, String narrow, boolean covers) {
    Match one = Match.of(Condition.of("path", onPath(wide)));
    Match other = Match.of(Condition.of("path", onPath(narrow)));
    assertThat(MatchAlgebra.covers(one, other)).isEqualTo(covers);
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8,    10.1.0.0/16,   true",
    "10.0.0.0/8,    10.1.2.3,      true",
    "10.0.0.0/8,    10.0.0.0/8,    true",
    "::/0,          2001:db8::1,   true",
    "10.1.0.0/16,   10.0.0.0/8,    false",
    "10.1.2.3,      10.1.2.0/24,   false",
    "0.0.0.0/0,     2001:db8::/32, false",
    "::/0,          10.0.0.0/8,    false",
  })
  void networksCoverNetworks(String wide, String narrow, boolean covers) {
    Match one = Match.of(Condition.of("ip", inNetwork(wide)));
    Match other = Match.of(Condition.of("ip", inNetwork(narrow)));
    assertThat(MatchAlgebra.covers(one, other)).isEqualTo(covers);
  }

  @Test
  void theIndexFindsAllThatCover() {
    Random random = new Random(3);
    for (int round = 0; round < 800; round++) {
      CoverIndex<Integer> index = new CoverIndex<>();
      List<Match> matches = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        matches.add(match(random));
        index.add(matches.get(i), i);
      }
      Match narrow = match(random);
      Match also = match(random);
      List<Integer> expected = new ArrayList<>();
      for (int i = 0; i < matches.size(); i++) {
        if (MatchAlgebra.covers(matches.get(i), narrow, also)) {
          expected.add(i);
        }
      }
      assertThat(index.covering(narrow, also)).as("%s, %s", narrow, also).isEqualTo(expected);
    }
  }

  private static io.weir.rules.match.ValueMatcher onPath(String pattern) {
    return new io.weir.rules.match.ValueMatcher.OnPath(PathPattern.parse(pattern));
  }

  private static io.weir.rules.match.ValueMatcher inNetwork(String network) {
    return new io.weir.rules.match.ValueMatcher.InNetwork(Network.parse(network));
  }

  private static Match match(Random random) {
    List<Condition> conditions = new ArrayList<>();
    for (String attribute : ATTRIBUTES) {
      if (random.nextInt(3) == 0) {
        List<io.weir.rules.match.ValueMatcher> valueMatchers = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
          valueMatchers.add(test(attribute, random));
        }
        conditions.add(new Condition(attribute, valueMatchers));
      }
    }
    return new Match(conditions);
  }

  private static io.weir.rules.match.ValueMatcher test(String attribute, Random random) {
    switch (random.nextInt(8)) {
      case 0:
        return new io.weir.rules.match.ValueMatcher.Present();
      case 1:
        return new io.weir.rules.match.ValueMatcher.Absent();
      case 2:
        return new io.weir.rules.match.ValueMatcher.Is(
            one(attribute.equals("path") ? PATHS : USERS, random));
      case 3:
        return new io.weir.rules.match.ValueMatcher.StartsWith(
            attribute.equals("path") ? one(PATHS, random) : one(USERS, random));
      default:
        return switch (attribute) {
          case "path" -> onPath(one(PATTERNS, random));
          case "ip" -> inNetwork(one(NETWORKS, random));
          default -> new io.weir.rules.match.ValueMatcher.Is(one(USERS, random));
        };
    }
  }

  private static <T> T one(List<T> of, Random random) {
    return of.get(random.nextInt(of.size()));
  }

  private static List<Known> requests() {
    List<Known> all = new ArrayList<>();
    for (String ip : withNull(ADDRESSES)) {
      for (String path : withNull(PATHS)) {
        for (String user : withNull(USERS)) {
          Map<String, @Nullable String> values = new LinkedHashMap<>();
          values.put("ip", ip);
          values.put("path", path);
          values.put("user", user);
          all.add(new Known(values));
        }
      }
    }
    return all;
  }

  private static List<@Nullable String> withNull(List<String> values) {
    List<@Nullable String> all = new ArrayList<>(values);
    all.add(null);
    return all;
  }

  /** The obvious way, without an index. */
  private static boolean holds(Match match, Known request) {
    return match.conditions().stream()
        .allMatch(
            condition ->
                condition.anyOf().stream()
                    .anyMatch(
                        valueMatcher ->
                            holds(valueMatcher, request.values().get(condition.attribute()))));
  }

  private static boolean holds(
      io.weir.rules.match.ValueMatcher valueMatcher, @Nullable String value) {
    if (value == null || valueMatcher instanceof io.weir.rules.match.ValueMatcher.Absent) {
      return value == null && valueMatcher instanceof io.weir.rules.match.ValueMatcher.Absent;
    }
    if (valueMatcher instanceof io.weir.rules.match.ValueMatcher.Is is) {
      return value.equals(is.value());
    }
    if (valueMatcher instanceof io.weir.rules.match.ValueMatcher.StartsWith starts) {
      return value.startsWith(starts.prefix());
    }
    if (valueMatcher instanceof io.weir.rules.match.ValueMatcher.OnPath on) {
      return on.pattern().matches(value);
    }
    return !(valueMatcher instanceof io.weir.rules.match.ValueMatcher.InNetwork in)
        || in.network().contains(PARSED.computeIfAbsent(value, Address::parse));
  }

  private record Known(Map<String, @Nullable String> values) {}
}
