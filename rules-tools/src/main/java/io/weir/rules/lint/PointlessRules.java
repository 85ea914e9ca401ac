package io.weir.rules.lint;

import io.weir.Limit;
import io.weir.rules.Problem;
import io.weir.rules.Rule;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds rules that never refuse, because another rule is at least as strict. It counts at least the
 * same requests, in buckets that are at least as wide.
 */
final class PointlessRules implements LintCheck {
  @Override
  public void inspect(LintContext lintContext, Consumer<Problem> report) {
    lintContext.territories().forEach(inspectedDomain -> inspect(inspectedDomain, report));
  }

  private static void inspect(
      LintContext.InspectedDomain inspectedDomain, Consumer<Problem> report) {
    Map<Set<String>, CoverIndex<Candidate>> byKey = new HashMap<>();
    List<Candidate> candidates = new ArrayList<>();
    for (InspectedRule inspectedRule : inspectedDomain.inspectedRules()) {
      Candidate candidate =
          new Candidate(
              candidates.size(), inspectedRule, DuplicateRules.Essence.of(inspectedRule.rule()));
      candidates.add(candidate);
      if (candidate.canBeStrict()) {
        byKey
            .computeIfAbsent(
                new TreeSet<>(inspectedRule.rule().per()), unknown -> new CoverIndex<>())
            .add(inspectedRule.rule().match(), candidate);
      }
    }
    for (Candidate loose : candidates) {
      Candidate strict = loose.canBePointless() ? stricter(loose, byKey) : null;
      if (strict != null) {
        report.accept(warning(loose.inspectedRule(), strict.inspectedRule()));
      }
    }
  }

  private static @Nullable Candidate stricter(
      Candidate loose, Map<Set<String>, CoverIndex<Candidate>> byKey) {
    for (Set<String> key :
        parts(new ArrayList<>(new TreeSet<>(loose.inspectedRule().rule().per())))) {
      CoverIndex<Candidate> index = byKey.get(key);
      if (index != null) {
        Match reach = Objects.requireNonNull(loose.inspectedRule().reach());
        for (Candidate strict : index.covering(each -> each.isStricterThan(loose), reach)) {
          if (strict.countsAllOf(loose)
              && (strict.number() < loose.number() || !loose.makesPointless(strict))
              && !strict.essence().equals(loose.essence())) {
            return strict;
          }
        }
      }
    }
    return null;
  }

  /** All subsets of these attributes: a bucket per subset contains the buckets of the whole key. */
  private static List<Set<String>> parts(List<String> per) {
    List<Set<String>> parts = new ArrayList<>(List.of(new TreeSet<>(per)));
    if (per.size() > 4) {
      parts.add(Set.of());
      return parts;
    }
    for (int chosen = (1 << per.size()) - 2; chosen >= 0; chosen--) {
      Set<String> part = new TreeSet<>();
      for (int i = 0; i < per.size(); i++) {
        if ((chosen & 1 << i) != 0) {
          part.add(per.get(i));
        }
      }
      parts.add(part);
    }
    return parts;
  }

  private static Problem warning(InspectedRule loose, InspectedRule strict) {
    Rule rule = strict.rule();
    return Problem.warning(
        loose.rule().sourceLocation(),
        loose.title()
            + (" never refuses what rule '"
                + rule.name()
                + "' ("
                + rule.sourceLocation()
                + ") allows: ")
            + "that one counts all of its requests"
            + (rule.per().size() < loose.rule().per().size() ? ", of more callers together," : "")
            + " and is at least as strict; tighten this rule, loosen that one, or remove this one");
  }

  /** A rule, its position in the file, and its content without the name. */
  private record Candidate(
      int number, InspectedRule inspectedRule, DuplicateRules.Essence essence) {
    private Rule rule() {
      return inspectedRule.rule();
    }

    boolean canBeStrict() {
      return inspectedRule.isEnforced()
          && rule().ruleOverrides().isEmpty()
          && !rule().limits().isEmpty();
    }

    boolean canBePointless() {
      return inspectedRule.isEnforced()
          && inspectedRule.reach() != null
          && !inspectedRule.meterages().isEmpty()
          && inspectedRule.isPossible(rule().match());
    }

    boolean makesPointless(Candidate loose) {
      return canBeStrict() && isStricterThan(loose) && countsAllOf(loose);
    }

    /** Whether it refuses at least what the other refuses, if it counts the same requests. */
    private boolean isStricterThan(Candidate loose) {
      return this.number != loose.number
          && rule().policy().equals(loose.rule().policy())
          && Strictness.takesAtLeast(rule().cost(), loose.rule().cost())
          && loose.inspectedRule.meterages().stream()
              .allMatch(each -> isStricterThan(each.limits()));
    }

    /** Whether it counts each request that the other counts, in at least as wide a bucket. */
    private boolean countsAllOf(Candidate loose) {
      Match reach = loose.inspectedRule.reach();
      if (reach == null || !hasSameSegments(loose)) {
        return false;
      }
      boolean isSamePath = Objects.equals(inspectedRule.path(), loose.inspectedRule.path());
      Match theirs = isSamePath ? reach : loose.inspectedRule.abroad(reach);
      return MatchAlgebra.covers(rule().match(), theirs)
          && rule().exempt().stream()
              .allMatch(each -> MatchAlgebra.areDisjoint(inspectedRule.abroad(each), theirs));
    }

    /** Whether the segments that this rule uses mean the same in the other one. */
    private boolean hasSameSegments(Candidate loose) {
      if (!loose.rule().per().containsAll(rule().per())) {
        return false;
      }
      boolean speaksOfSegments =
          rule().per().stream().anyMatch(name -> isSegmentOfEither(loose, name))
              || rule().match().conditions().stream()
                  .map(Condition::attribute)
                  .anyMatch(name -> isSegmentOfEither(loose, name));
      return !speaksOfSegments || Objects.equals(inspectedRule.path(), loose.inspectedRule.path());
    }

    private boolean isSegmentOfEither(Candidate loose, String name) {
      return inspectedRule.isSegment(name) || loose.inspectedRule.isSegment(name);
    }

    private boolean isStricterThan(List<Limit> limits) {
      return limits.stream()
          .allMatch(
              theirs ->
                  rule().limits().stream()
                      .anyMatch(mine -> Strictness.isAtLeastAsStrict(mine, theirs)));
    }
  }
}
