package io.weir.rules.lint;

import io.weir.rules.AttributeSource;
import io.weir.rules.Problem;
import io.weir.rules.Request;
import io.weir.rules.SourceLocation;
import io.weir.rules.match.Address;
import io.weir.rules.match.Condition;
import io.weir.rules.match.MalformedRequestException;
import io.weir.rules.match.ValueMatcher;
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
final class UncoveredTraffic implements LintCheck {
  private static final int MAX_NAMED = 3;

  @Override
  public void inspect(LintContext lintContext, Consumer<Problem> report) {
    List<Set<Trait>> rules = new ArrayList<>();
    for (InspectedRule inspectedRule : lintContext.inspectedRules()) {
      rules.add(traits(inspectedRule));
    }
    // Rules beside descriptors may be intended for those.
    boolean isForDescriptors =
        lintContext.territories().stream()
            .anyMatch(each -> each.hasDescriptors() && !each.inspectedRules().isEmpty());
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
    kinds.removeIf(kind -> kind.isEmpty() || !isUncovered(kind, lintContext));
    if (!kinds.isEmpty()) {
      report.accept(warning(lintContext, kinds));
    }
  }

  /** The traits that the rule excludes; empty if it covers all requests except those it exempts. */
  private static Set<Trait> traits(InspectedRule inspectedRule) {
    Set<Trait> traits = new LinkedHashSet<>();
    if (inspectedRule.meterages().isEmpty()) {
      return traits; // deliberately without a limit
    }
    for (String name : inspectedRule.rule().per()) {
      if (!inspectedRule.isSegment(name) && inspectedRule.domainAttributes().mayBeMissing(name)) {
        traits.add(new Trait(name, true));
      }
    }
    for (Condition condition : inspectedRule.rule().match().conditions()) {
      String name = condition.attribute();
      if (inspectedRule.isSegment(name)) {
        continue;
      }
      if (inspectedRule.domainAttributes().mayBeMissing(name) && !allowsAbsence(condition)) {
        traits.add(new Trait(name, true));
      }
      boolean isLookedUp =
          inspectedRule.domainAttributes().source(name) instanceof AttributeSource.Lookup;
      if (!isLookedUp
          && condition.anyOf().stream()
              .noneMatch(valueMatcher -> UncoveredRequest.fits(name, valueMatcher))) {
        traits.add(new Trait(name, false));
      }
    }
    return traits;
  }

  private static boolean allowsAbsence(Condition condition) {
    return condition.anyOf().stream().anyMatch(ValueMatcher.Absent.class::isInstance);
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

  private static boolean isUncovered(List<Trait> kind, LintContext lintContext) {
    List<Trait> whole = new ArrayList<>(kind);
    for (Trait trait : kind) {
      if (trait.isAbsent()) {
        lintContext
            .territories()
            .forEach(each -> addParts(trait.name(), each.domainAttributes(), whole));
      }
    }
    try {
      return lintContext.rules().charges(new UncoveredRequest(whole, false)).isEmpty()
          && lintContext.rules().charges(new UncoveredRequest(whole, true)).isEmpty();
    } catch (MalformedRequestException e) {
      return false;
    }
  }

  /** A request without the first of several attributes is treated as lacking them all. */
  private static void addParts(String name, DomainAttributes domainAttributes, List<Trait> traits) {
    if (domainAttributes.source(name) instanceof AttributeSource.FirstOf) {
      Set<String> parts = new LinkedHashSet<>();
      domainAttributes.addWithParts(name, parts);
      parts.forEach(part -> traits.add(new Trait(part, true)));
    }
  }

  private static Problem warning(LintContext lintContext, List<List<Trait>> kinds) {
    String what =
        kinds.stream()
            .map(
                kind ->
                    kind.stream()
                        .map(trait -> describe(trait, lintContext))
                        .collect(Collectors.joining(" and ", "requests ", "")))
            .collect(Collectors.joining(", nor "));
    SourceLocation first = lintContext.inspectedRules().get(0).rule().sourceLocation();
    return Problem.warning(
        new SourceLocation(first.file(), 1, 1),
        "no rule covers "
            + what
            + "; a rule without 'match', per ip, would cover what others do not");
  }

  private static String describe(Trait trait, LintContext lintContext) {
    if (trait.isAbsent()) {
      return "without '" + trait.name() + "'";
    }
    Map<String, ValueMatcher> required = new TreeMap<>();
    boolean isOnlyAbsence = true;
    for (InspectedRule inspectedRule : lintContext.inspectedRules()) {
      for (Condition condition : inspectedRule.rule().match().conditions()) {
        if (condition.attribute().equals(trait.name())) {
          for (ValueMatcher valueMatcher : condition.anyOf()) {
            required.put(valueMatcher.toString(), valueMatcher);
            isOnlyAbsence &= valueMatcher instanceof ValueMatcher.Absent;
          }
        }
      }
    }
    if (isOnlyAbsence) {
      return "with '" + trait.name() + "'";
    }
    required.values().removeIf(ValueMatcher.Absent.class::isInstance);
    String named = required.keySet().stream().limit(MAX_NAMED).collect(Collectors.joining(", "));
    int more = required.size() - MAX_NAMED;
    return "with another '"
        + (trait.name() + "' than " + named)
        + (more > 0 ? " and " + more + " more" : "");
  }

  /** A trait of a request: an attribute is missing, or has a value that no rule names. */
  record Trait(String name, boolean isAbsent) {}

  /** A request with given traits, and otherwise with values that no rule matches. */
  private static final class UncoveredRequest implements Request {
    private static final String VALUE = "weir-check-stranger";
    private static final Map<String, String> GIVEN =
        Map.of(
            "path", "/weir-check/stranger/to/every/rule",
            "method", "STRANGER",
            "host", "weir-check.invalid",
            "ip", "233.252.0.219");

    private final Map<String, Trait> traits = new HashMap<>();
    private final boolean hasOthers;

    UncoveredRequest(List<Trait> traits, boolean hasOthers) {
      traits.forEach(trait -> this.traits.put(trait.name(), trait));
      this.hasOthers = hasOthers;
    }

    /** Whether {@code valueMatcher} may hold for such a request's value, if it has one. */
    static boolean fits(String name, ValueMatcher valueMatcher) {
      String value = GIVEN.getOrDefault(name, VALUE);
      if (valueMatcher instanceof ValueMatcher.Is is) {
        return value.equals(is.value());
      }
      if (valueMatcher instanceof ValueMatcher.StartsWith starts) {
        return value.startsWith(starts.prefix());
      }
      if (valueMatcher instanceof ValueMatcher.OnPath on) {
        return on.pattern().matches(value);
      }
      if (valueMatcher instanceof ValueMatcher.InNetwork in) {
        Address address = Address.parse(value);
        return address != null && in.network().contains(address);
      }
      return valueMatcher instanceof ValueMatcher.Present;
    }

    @Override
    public @Nullable String attribute(String name) {
      Trait trait = traits.get(name);
      boolean isThere = trait == null ? hasOthers || GIVEN.containsKey(name) : !trait.isAbsent();
      return isThere ? GIVEN.getOrDefault(name, VALUE) : null;
    }
  }
}
