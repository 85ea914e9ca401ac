package io.weir.rules.match;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * Builds the tree of a {@link MatchIndex}: chooses the condition under which each entry is stored.
 */
final class MatchIndexBuilder {
  /** Up to this many entries are tested one by one, which costs no more than a further split. */
  private static final int SMALL = 8;

  /** Up to this many values are tested one by one. */
  private static final int FEW = 4;

  /** Conditions shared by at most this many entries all count as rare. */
  private static final long RARE = 4;

  private final ToIntFunction<String> places;
  private final Map<Condition, CompiledCondition> compiledConditions = new HashMap<>();

  MatchIndexBuilder(ToIntFunction<String> places) {
    this.places = places;
  }

  /** The group of {@code candidates}, which are in order. */
  Group group(List<Candidate> candidates) {
    int decided = 0;
    for (Candidate candidate : candidates) {
      decided += candidate.left().isEmpty() ? 1 : 0;
    }
    int[] always = new int[decided];
    List<Candidate> conditional = new ArrayList<>(candidates.size() - decided);
    int next = 0;
    for (Candidate candidate : candidates) {
      if (candidate.left().isEmpty()) {
        always[next++] = candidate.order();
      } else {
        conditional.add(candidate);
      }
    }
    return conditional.size() <= SMALL
        ? new Group(always, tested(conditional), List.of())
        : new Group(always, List.of(), branches(conditional));
  }

  private List<Group.Tested> tested(List<Candidate> candidates) {
    List<Group.Tested> tested = new ArrayList<>(candidates.size());
    for (Candidate candidate : candidates) {
      CompiledCondition[] conditions = new CompiledCondition[candidate.left().size()];
      for (int i = 0; i < conditions.length; i++) {
        conditions[i] = compiledConditions.computeIfAbsent(candidate.left().get(i), this::compiled);
      }
      tested.add(new Group.Tested(candidate.order(), conditions));
    }
    return tested;
  }

  private CompiledCondition compiled(Condition condition) {
    int place = places.applyAsInt(condition.attribute());
    return condition.anyOf().size() <= FEW
        ? new CompiledCondition.Few(place, condition.anyOf().toArray(ValueMatcher[]::new))
        : new CompiledCondition.Many(new Branch(place, Map.of(condition, Group.of(0))));
  }

  private List<Branch> branches(List<Candidate> candidates) {
    Map<String, SelectivityEstimate> estimates = new HashMap<>();
    for (Candidate candidate : candidates) {
      for (Condition condition : candidate.left()) {
        estimates
            .computeIfAbsent(condition.attribute(), name -> new SelectivityEstimate())
            .add(condition);
      }
    }
    Map<String, Map<Condition, List<Candidate>>> parts = new LinkedHashMap<>();
    for (Candidate candidate : candidates) {
      Condition rarest = rarest(candidate.left(), estimates);
      parts
          .computeIfAbsent(rarest.attribute(), name -> new LinkedHashMap<>())
          .computeIfAbsent(rarest, condition -> new ArrayList<>())
          .add(candidate.without(rarest));
    }
    estimates.clear(); // free memory: the next level builds its own
    List<Branch> branches = new ArrayList<>();
    parts.forEach((attribute, part) -> branches.add(branch(attribute, part)));
    return branches;
  }

  private Branch branch(String attribute, Map<Condition, List<Candidate>> part) {
    Map<Condition, Group> groups = new LinkedHashMap<>();
    part.forEach((condition, candidates) -> groups.put(condition, group(candidates)));
    return new Branch(places.applyAsInt(attribute), groups);
  }

  /**
   * The condition that the fewest entries share. Among equals, the one with the attribute that most
   * entries test: a lookup should read few attributes.
   */
  private static Condition rarest(
      List<Condition> conditions, Map<String, SelectivityEstimate> estimates) {
    Condition rarest = conditions.get(0);
    long minShared = Long.MAX_VALUE;
    int maxSize = 0;
    for (int i = 0; i < conditions.size() && conditions.size() > 1; i++) {
      Condition condition = conditions.get(i);
      SelectivityEstimate selectivityEstimate = estimate(condition, estimates);
      long shared = Math.max(RARE, selectivityEstimate.sharing(condition));
      if (shared < minShared || (shared == minShared && selectivityEstimate.size() > maxSize)) {
        rarest = condition;
        minShared = shared;
        maxSize = selectivityEstimate.size();
      }
    }
    return rarest;
  }

  private static SelectivityEstimate estimate(
      Condition condition, Map<String, SelectivityEstimate> estimates) {
    SelectivityEstimate selectivityEstimate = estimates.get(condition.attribute());
    if (selectivityEstimate == null) {
      throw new IllegalStateException("nothing is known of '" + condition.attribute() + "'");
    }
    return selectivityEstimate;
  }
}
