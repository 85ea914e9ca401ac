package io.weir.rules.lint;

import io.weir.rules.AttributeSource;
import io.weir.rules.Place;
import io.weir.rules.Request;
import io.weir.rules.file.Problem;
import io.weir.rules.match.Address;
import io.weir.rules.match.Condition;
import io.weir.rules.match.MalformedRequestException;
import io.weir.rules.match.Test;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds requests that no rule covers, such as those without an API key.
 *
 * <p>Each rule excludes requests with certain traits: <i>without api_key</i>, <i>with another path
 * than /api/**</i>. A trait that all rules exclude is reported alone. Else traits are combined, the
 * one that most rules exclude first, until all rules exclude the request. Each result is verified
 * against the rules before it is reported. Exempt requests count as covered, because they are
 * intended.
 */
final class UncoveredTraffic implements Check {
  private static final int MOST_NAMED = 3;

  @Override
  public void inspect(Survey survey, Consumer<Problem> report) {
    List<Set<Trait>> rules = new ArrayList<>();
    for (Subject subject : survey.subjects()) {
      rules.add(traits(subject));
    }
    // Rules beside descriptors may be intended for those.
    boolean isForDescriptors =
        survey.territories().stream()
            .anyMatch(each -> each.hasDescriptors() && !each.subjects().isEmpty());
    if (isForDescriptors || rules.isEmpty() || rules.stream().anyMatch(Set::isEmpty)) {
      return;
    }
    List<List<Trait>> kinds = new ArrayList<>();
    for (Trait trait : leavingOutAll(rules)) {
      kinds.add(List.of(trait));
    }
    if (kinds.isEmpty()) {
      kinds.add(together(rules));
    }
    kinds.removeIf(kind -> kind.isEmpty() || !isUncovered(kind, survey));
    if (!kinds.isEmpty()) {
      report.accept(warning(survey, kinds));
    }
  }

  /** The traits that the rule excludes; empty if it covers all requests except those it exempts. */
  private static Set<Trait> traits(Subject subject) {
    Set<Trait> traits = new LinkedHashSet<>();
    if (subject.meterages().isEmpty()) {
      return traits; // deliberately without a limit
    }
    for (String name : subject.rule().per()) {
      if (!subject.isSegment(name) && subject.vocabulary().mayBeMissing(name)) {
        traits.add(new Trait(name, true));
      }
    }
    for (Condition condition : subject.rule().match().conditions()) {
      String name = condition.attribute();
      if (subject.isSegment(name)) {
        continue;
      }
      if (subject.vocabulary().mayBeMissing(name) && !allowsAbsence(condition)) {
        traits.add(new Trait(name, true));
      }
      boolean isLookedUp = subject.vocabulary().source(name) instanceof AttributeSource.Lookup;
      if (!isLookedUp && condition.anyOf().stream().noneMatch(test -> Stranger.fits(name, test))) {
        traits.add(new Trait(name, false));
      }
    }
    return traits;
  }

  private static boolean allowsAbsence(Condition condition) {
    return condition.anyOf().stream().anyMatch(Test.Absent.class::isInstance);
  }

  private static List<Trait> leavingOutAll(List<Set<Trait>> rules) {
    Set<Trait> common = new LinkedHashSet<>(rules.get(0));
    for (Set<Trait> traits : rules) {
      common.retainAll(traits);
    }
    // A missing attribute implies that it has no other value either: report the simpler trait.
    common.removeIf(trait -> !trait.isAbsent() && common.contains(new Trait(trait.name(), true)));
    return List.copyOf(common);
  }

  /** A combination of traits that all rules exclude; empty if none was found. */
  private static List<Trait> together(List<Set<Trait>> rules) {
    Map<String, Trait> chosen = new LinkedHashMap<>();
    List<Set<Trait>> left = rules;
    while (!left.isEmpty()) {
      Map<Trait, Integer> counts = new HashMap<>();
      for (Set<Trait> traits : left) {
        for (Trait trait : traits) {
          if (!chosen.containsKey(trait.name())) {
            counts.merge(trait, 1, Integer::sum);
          }
        }
      }
      Trait best =
          counts.entrySet().stream()
              .max(
                  Map.Entry.<Trait, Integer>comparingByValue()
                      .thenComparing(entry -> entry.getKey().isAbsent())
                      .thenComparing(entry -> entry.getKey().name(), Comparator.reverseOrder()))
              .map(Map.Entry::getKey)
              .orElse(null);
      if (best == null) {
        return List.of();
      }
      chosen.put(best.name(), best);
      left = left.stream().filter(traits -> !traits.contains(best)).toList();
    }
    return List.copyOf(chosen.values());
  }

  private static boolean isUncovered(List<Trait> kind, Survey survey) {
    List<Trait> whole = new ArrayList<>(kind);
    for (Trait trait : kind) {
      if (trait.isAbsent()) {
        survey.territories().forEach(each -> addParts(trait.name(), each.vocabulary(), whole));
      }
    }
    try {
      return survey.rules().claims(new Stranger(whole, false)).isEmpty()
          && survey.rules().claims(new Stranger(whole, true)).isEmpty();
    } catch (MalformedRequestException e) {
      return false;
    }
  }

  /** A request without the first of several attributes is treated as lacking them all. */
  private static void addParts(String name, Vocabulary vocabulary, List<Trait> traits) {
    if (vocabulary.source(name) instanceof AttributeSource.FirstOf) {
      Set<String> parts = new LinkedHashSet<>();
      vocabulary.addWithParts(name, parts);
      parts.forEach(part -> traits.add(new Trait(part, true)));
    }
  }

  private static Problem warning(Survey survey, List<List<Trait>> kinds) {
    String what =
        kinds.stream()
            .map(
                kind ->
                    kind.stream()
                        .map(trait -> describe(trait, survey))
                        .collect(Collectors.joining(" and ", "requests ", "")))
            .collect(Collectors.joining(", nor "));
    Place first = survey.subjects().get(0).rule().place();
    return Problem.warning(
        new Place(first.file(), 1, 1),
        "no rule covers "
            + what
            + "; a rule without 'match', per ip, would cover what others do not");
  }

  private static String describe(Trait trait, Survey survey) {
    if (trait.isAbsent()) {
      return "without '" + trait.name() + "'";
    }
    Map<String, Test> asked = new TreeMap<>();
    boolean isOnlyAbsence = true;
    for (Subject subject : survey.subjects()) {
      for (Condition condition : subject.rule().match().conditions()) {
        if (condition.attribute().equals(trait.name())) {
          for (Test test : condition.anyOf()) {
            asked.put(test.toString(), test);
            isOnlyAbsence &= test instanceof Test.Absent;
          }
        }
      }
    }
    if (isOnlyAbsence) {
      return "with '" + trait.name() + "'";
    }
    asked.values().removeIf(Test.Absent.class::isInstance);
    String named = asked.keySet().stream().limit(MOST_NAMED).collect(Collectors.joining(", "));
    int more = asked.size() - MOST_NAMED;
    return "with another '"
        + (trait.name() + "' than " + named)
        + (more > 0 ? " and " + more + " more" : "");
  }

  /** A trait of a request: an attribute is missing, or has a value that no rule names. */
  record Trait(String name, boolean isAbsent) {}

  /** A request with given traits, and otherwise with values that no rule matches. */
  private static final class Stranger implements Request {
    private static final String VALUE = "weir-check-stranger";
    private static final Map<String, String> GIVEN =
        Map.of(
            "path", "/weir-check/stranger/to/every/rule",
            "method", "STRANGER",
            "host", "weir-check.invalid",
            "ip", "233.252.0.219");

    private final Map<String, Trait> traits = new HashMap<>();
    private final boolean hasOthers;

    Stranger(List<Trait> traits, boolean hasOthers) {
      traits.forEach(trait -> this.traits.put(trait.name(), trait));
      this.hasOthers = hasOthers;
    }

    /** Whether {@code test} may hold for such a request's value, if it has one. */
    static boolean fits(String name, Test test) {
      String value = GIVEN.getOrDefault(name, VALUE);
      if (test instanceof Test.Is is) {
        return value.equals(is.value());
      }
      if (test instanceof Test.StartsWith starts) {
        return value.startsWith(starts.prefix());
      }
      if (test instanceof Test.OnPath on) {
        return on.pattern().matches(value);
      }
      if (test instanceof Test.InNetwork in) {
        Address address = Address.parse(value);
        return address != null && in.network().contains(address);
      }
      return test instanceof Test.Present;
    }

    @Override
    public @Nullable String attribute(String name) {
      Trait trait = traits.get(name);
      boolean isThere = trait == null ? hasOthers || GIVEN.containsKey(name) : !trait.isAbsent();
      return isThere ? GIVEN.getOrDefault(name, VALUE) : null;
    }
  }
}
