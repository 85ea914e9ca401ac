package io.weir.rules.lint;

import io.weir.Limit;
import io.weir.rules.file.Problem;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Finds limits of a rule that never refuse, because another limit of the rule is stricter. */
final class PointlessLimits implements Check.OfOneRule {
  private static final int MOST_COMPARED = 50;

  @Override
  public void inspect(Subject subject, Consumer<Problem> report) {
    for (Subject.Meterage meterage : subject.meterages()) {
      List<Limit> limits = meterage.limits();
      for (int i = 0; i < limits.size() && limits.size() <= MOST_COMPARED; i++) {
        Limit stricter = stricter(limits, i);
        if (stricter != null) {
          report.accept(
              Problem.warning(
                  meterage.place(),
                  "the limit '"
                      + (limits.get(i) + "' of " + meterage.title())
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
