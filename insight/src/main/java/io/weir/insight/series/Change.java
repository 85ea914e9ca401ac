package io.weir.insight.series;

import io.weir.decision.RuleChange;
import io.weir.rules.Problem;
import io.weir.rules.text.Excerpt;
import java.util.List;
import java.util.Locale;

/**
 * A change of the rules, or a failed attempt.
 *
 * @param millis when, since the epoch
 * @param summary in words
 * @param added names of rules
 * @param changed the differences of each changed rule
 * @param removed names of rules
 * @param more how many items were left out of these lists, to keep them short
 * @param problems why it was rejected
 */
public record Change(
    long millis,
    Result result,
    String summary,
    List<String> added,
    List<RuleChange.Edit> changed,
    List<String> removed,
    int more,
    List<String> problems) {
  private static final int MAX_CHANGED_RULES = 20;
  // maximum characters of a problem: the log has the complete text
  private static final int LONGEST = 500;

  /** The result of the change. */
  public enum Result {
    /** The first rules. */
    STARTED,
    /** The new rules are in force. */
    SUCCESS,
    /** The old rules are still in force. */
    REJECTED;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static Change started(long millis, int rules) {
    String summary = "started with " + rules + (rules == 1 ? " rule" : " rules");
    return new Change(
        millis, Result.STARTED, summary, List.of(), List.of(), List.of(), 0, List.of());
  }

  static Change reloaded(long millis, RuleChange change) {
    return new Change(
        millis,
        Result.SUCCESS,
        change.toString(),
        some(change.added()),
        some(change.changed()),
        some(change.removed()),
        left(change.added()) + left(change.changed()) + left(change.removed()),
        List.of());
  }

  static Change rejected(long millis, List<Problem> problems) {
    int count = problems.size();
    return new Change(
        millis,
        Result.REJECTED,
        count + (count == 1 ? " problem" : " problems") + ", the old rules stay",
        List.of(),
        List.of(),
        List.of(),
        left(problems),
        some(problems).stream().map(each -> Excerpt.of(each.toString(), LONGEST)).toList());
  }

  private static <T> List<T> some(List<T> all) {
    return List.copyOf(all.subList(0, Math.min(all.size(), MAX_CHANGED_RULES)));
  }

  private static int left(List<?> all) {
    return Math.max(0, all.size() - MAX_CHANGED_RULES);
  }
}
