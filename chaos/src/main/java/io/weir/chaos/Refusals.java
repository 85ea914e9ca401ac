package io.weir.chaos;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Finds wrong refusals, by a model that uses only the grants.
 *
 * <p>A user was below the limit if one more grant would have broken no bound. This must hold even
 * if all earlier grants were decided as late as possible, and this one as early as possible. Grants
 * of the same moment count as earlier. In doubt, the refusal was right.
 */
final class Refusals {
  private final Bound bound;
  private final Map<String, List<Answer>> yeses;

  Refusals(Bound bound, List<Answer> log) {
    this.bound = bound;
    this.yeses =
        log.stream()
            .filter(Answer::isYes)
            .sorted(Comparator.comparingLong(Answer::after))
            .collect(Collectors.groupingBy(Answer::account));
  }

  /** Whether it was not allowed, and should have been. */
  boolean isWrong(Answer answer) {
    return !answer.isYes() && fits(answer, yeses.getOrDefault(answer.account(), List.of()));
  }

  private boolean fits(Answer answer, List<Answer> given) {
    List<Answer> earlier = given.stream().filter(yes -> yes.before() <= answer.after()).toList();
    for (int i = 0; i < earlier.size(); i++) {
      long length = Math.max(0, answer.before() - earlier.get(i).after());
      if (earlier.size() - i + 1 > bound.most(length - length / 500)) {
        return false;
      }
    }
    return true;
  }
}
