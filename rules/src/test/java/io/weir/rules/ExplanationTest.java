package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Limit;
import io.weir.rules.AttributeSource.FirstOf;
import io.weir.rules.AttributeSource.Lookup;
import io.weir.rules.Explanation.Attribute;
import io.weir.rules.Explanation.Outcome;
import io.weir.rules.engine.PendingCharge;
import io.weir.rules.match.Condition;
import io.weir.rules.match.MalformedRequestException;
import io.weir.rules.match.Match;
import io.weir.rules.match.PathPattern;
import io.weir.rules.match.ValueMatcher.Absent;
import io.weir.rules.match.ValueMatcher.Is;
import io.weir.rules.match.ValueMatcher.OnPath;
import io.weir.rules.match.ValueMatcher.Present;
import io.weir.rules.match.ValueMatcher.StartsWith;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Why rules apply, and that an explanation never disagrees with what is decided by. */
class ExplanationTest {
  private static final Limit LIMIT = Limit.tokenBucket(10).perSecond();
  private static final Condition POST = Condition.of("method", new Is("POST"));

  @Test
  void eachReasonHasAName() {
    Match internal = Match.of(Condition.of("user", new StartsWith("svc-")));
    RuleOverride pro =
        new RuleOverride(Optional.empty(), tier("pro"), List.of(LIMIT), SourceLocation.NOWHERE);
    RuleSet rules =
        rules(
            Rule.named("applies").limit(LIMIT).per("user", "tier").variants(List.of(pro)),
            Rule.named("off").limit(LIMIT).policy(Policy.DEFAULT.with(Policy.Mode.OFF)),
            Rule.named("unmet").limit(LIMIT).match(Match.of(POST)),
            Rule.named("absent").limit(LIMIT).match(Match.of(Condition.of("x", new Present()))),
            Rule.named("exempt").limit(LIMIT).exempt(List.of(internal)),
            Rule.named("lacks").limit(LIMIT).per("user", "x"),
            Rule.named("unlimited"));

    Explanation why =
        Explanation.of(rules, Requests.of("user", "svc-1", "tier", "pro", "method", "HEAD"));

    assertThat(outcomes(why))
        .containsExactly(
            new Outcome.Applies(Optional.of(pro), "svc-1|pro", 1),
            new Outcome.Off(),
            new Outcome.Unmet(POST, Optional.of("GET")),
            new Outcome.Unmet(Condition.of("x", new Present()), Optional.empty()),
            new Outcome.Exempt(internal),
            new Outcome.Lacks("x"),
            new Outcome.Unlimited());
    assertThat(why.applying()).extracting(each -> each.rule().name()).containsExactly("applies");
  }

  @Test
  void explainsAttributesWithTheirSources() {
    Lookup lookup = new Lookup("user", Map.of("1", "pro"), Optional.of("free"));
    FirstOf first = new FirstOf(List.of("user", "ip"));
    Domain domain =
        new Domain(
            "d",
            Map.of("tier", lookup, "client", first),
            List.of(Rule.named("r").limit(LIMIT).per("client", "tier").build()));

    Explanation why = Explanation.of(RuleSet.of(domain), Requests.of("ip", "10.0.0.1"));

    assertThat(why.domains().get(0).attributes())
        .containsExactly(
            attribute("ip", null, "10.0.0.1"),
            attribute("method", null, null),
            attribute("path", null, null),
            attribute("host", null, null),
            attribute("client", first, "10.0.0.1"),
            attribute("user", null, null),
            attribute("tier", lookup, "free"));
  }

  @Test
  void segmentsOfThePathAreAttributesOfTheirRule() {
    Match path = Match.of(Condition.of("path", new OnPath(PathPattern.parse("/users/{id}"))));
    RuleSet rules = rules(Rule.named("r").limit(LIMIT).match(path).per("id"));

    Explanation.OfRule why =
        Explanation.of(rules, Requests.of("path", "/users/7")).applying().get(0);

    assertThat(why.segments()).containsExactly(attribute("id", null, "7"));
    assertThat(why.outcome()).isEqualTo(new Outcome.Applies(Optional.empty(), "7", 1));
  }

  @Test
  void explainsNoMalformedRequest() {
    RuleSet rules = rules(Rule.named("r").limit(LIMIT).cost(new Cost.OfAttribute("weight")));

    assertThatThrownBy(() -> Explanation.of(rules, Requests.of("weight", "heavy")))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessageContaining("weight");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void explanationAndChargesAgree(long seed) {
    Draw draw = new Draw(new Random(seed));
    int applied = 0;
    for (int i = 0; i < 100; i++) {
      RuleSet rules = draw.rules();
      for (int j = 0; j < 20; j++) {
        Request request = draw.request();
        List<PendingCharge> charges = rules.charges(request);
        assertThat(explained(Explanation.of(rules, request)))
            .as("rules %s, request %s", rules.rules(), request)
            .isEqualTo(charges.stream().map(ExplanationTest::words).toList());
        applied += charges.size();
      }
    }
    assertThat(applied).as("rules that applied").isGreaterThan(1000);
  }

  private static List<String> explained(Explanation why) {
    return why.applying().stream()
        .map(
            each -> {
              Outcome.Applies applies = (Outcome.Applies) each.outcome();
              return words(each.rule(), applies.ruleOverride(), applies.key(), applies.cost());
            })
        .toList();
  }

  private static String words(PendingCharge charge) {
    return words(charge.rule(), charge.limitGroup().ruleOverride(), charge.key(), charge.cost());
  }

  private static String words(
      Rule rule, Optional<RuleOverride> ruleOverride, String key, long cost) {
    return rule.name() + " " + ruleOverride.map(RuleOverride::id) + " " + key + " " + cost;
  }

  private static List<Outcome> outcomes(Explanation why) {
    return why.domains().get(0).rules().stream().map(Explanation.OfRule::outcome).toList();
  }

  private static Attribute attribute(String name, AttributeSource source, String value) {
    return new Attribute(name, Optional.ofNullable(source), Optional.ofNullable(value));
  }

  private static Match tier(String tier) {
    return Match.of(Condition.of("tier", new Is(tier)));
  }

  private static RuleSet rules(Rule.Builder... rules) {
    return RuleSet.of(
        new Domain(
            Rule.DEFAULT_DOMAIN, Map.of(), Stream.of(rules).map(Rule.Builder::build).toList()));
  }

  /** Random rules and requests out of few words, so that they meet often. */
  private record Draw(Random random) {
    private static final List<String> NAMES =
        List.of("ip", "method", "path", "user", "tier", "client", "id", "weight");
    private static final List<String> PATTERNS =
        List.of("/a", "/a/{id}", "/{id}/b", "/a/*", "/a/**", "/**", "/{tier}/b", "/{id}");
    private static final Map<String, List<String>> VALUES =
        Map.of(
            "ip", List.of("10.0.0.1", "10.0.0.2", "nobody"),
            "method", List.of("GET", "HEAD", "post"),
            "path", List.of("/", "/a", "/a/1", "/a/b", "/b/b", "/a/b/c"),
            "weight", List.of("0", "3"));
    private static final List<String> OTHERS = List.of("1", "b", "pro", "free", "p|o");

    RuleSet rules() {
      List<Rule> rules = new ArrayList<>();
      int count = random.nextInt(8);
      for (int i = 0; i < count; i++) {
        rules.add(rule("r" + i));
      }
      Map<String, AttributeSource> sources =
          random.nextBoolean()
              ? Map.of()
              : Map.of(
                  "tier", new Lookup("user", Map.of("1", "pro"), some("free")),
                  "client", new FirstOf(List.of("user", "tier", "ip")));
      return RuleSet.of(new Domain("d", sources, rules));
    }

    private Rule rule(String name) {
      Rule.Builder rule = Rule.named(name).match(match());
      rule.policy(Policy.DEFAULT.with(pick(List.of(Policy.Mode.values()))));
      rule.exempt(random.nextInt(4) == 0 ? List.of(match()) : List.of());
      List<String> per = new ArrayList<>();
      while (random.nextInt(3) == 0) {
        per.add(pick(NAMES));
      }
      rule.per(per);
      rule.cost(
          pick(List.of(new Cost.OfRequest(), new Cost.Fixed(2), new Cost.OfAttribute("weight"))));
      List<RuleOverride> ruleOverrides = new ArrayList<>();
      while (random.nextInt(3) == 0) {
        String id = "v" + ruleOverrides.size();
        ruleOverrides.add(
            new RuleOverride(Optional.of(id), match(), List.of(LIMIT), SourceLocation.NOWHERE));
      }
      rule.variants(ruleOverrides);
      return (random.nextInt(5) == 0 ? rule : rule.limit(LIMIT)).build();
    }

    private Match match() {
      List<Condition> conditions = new ArrayList<>();
      for (String name : NAMES) {
        if (random.nextInt(6) == 0) {
          conditions.add(
              new Condition(
                  name,
                  random.nextBoolean() ? List.of(test(name)) : List.of(test(name), test(name))));
        }
      }
      return new Match(conditions);
    }

    private io.weir.rules.match.ValueMatcher test(String name) {
      if (name.equals("path")) {
        return new OnPath(PathPattern.parse(pick(PATTERNS)));
      }
      String value = pick(VALUES.getOrDefault(name, OTHERS));
      return switch (random.nextInt(5)) {
        case 0 -> new Present();
        case 1 -> new Absent();
        case 2 -> new StartsWith(value.substring(0, 1));
        default -> new Is(value);
      };
    }

    Request request() {
      List<String> pairs = new ArrayList<>();
      for (String name : NAMES) {
        if (random.nextInt(4) != 0) {
          pairs.add(name);
          pairs.add(random.nextInt(10) == 0 ? "" : pick(VALUES.getOrDefault(name, OTHERS)));
        }
      }
      return Requests.of(pairs.toArray(new String[0]));
    }

    private Optional<String> some(String value) {
      return random.nextBoolean() ? Optional.of(value) : Optional.empty();
    }

    private <T> T pick(List<T> from) {
      return from.get(random.nextInt(from.size()));
    }
  }
}
