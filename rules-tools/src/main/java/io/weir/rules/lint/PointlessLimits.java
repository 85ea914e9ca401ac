package io.weir.rules.lint;

import io.weir.Limit;
import io.weir.rules.Problem;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Finds limits of a rule that never refuse, because another limit of the rule is stricter. */
final class PointlessLimits implements LintCheck.OfOneRule {
  private static final int MAX_COMPARED = 50;

  @Override
  public void inspect(InspectedRule inspectedRule, Consumer<Problem> report) {
    for (InspectedRule.InspectedLimits inspectedLimits : inspectedRule.meterages()) {
      List<Limit> limits = inspectedLimits.limits();
      for (int i = 0; i < limits.size() && limits.size() <= MAX_COMPARED; i++) {
        Limit stricter = stricter(limits, i);
        if (stricter != null) {
          report.accept(
              Problem.warning(
                  inspectedLimits.sourceLocation(),
                  "the limit '"
                      + (limits.get(i) + "' of " + inspectedLimits.title())
                      + (" never refuses what '"
                          + stricter
                          + "' allows; remove it, or tighten it")));
        }
      }
    }
  }

  private static @Nullable Limit stricter(List<Limit> limits, int index) {
    Limit limit = limits.get(index);
    for (int i = 0; i < limits.size(); i++) {
      Limit other = limits.get(i);
      boolean isOverIt = i != index && Strictness.isAtLeastAsStrict(other, limit);
      // Of two equivalent limits, the first is kept.
      if (isOverIt && (i < index || !Strictness.isAtLeastAsStrict(limit, other))) {
        return other;
      }
    }
    return null;
  }
}
