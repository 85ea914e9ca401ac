package io.weir.seeing;

import io.weir.arbiter.RuleChange;
import io.weir.rules.file.Problem;
import io.weir.rules.text.Excerpt;
import java.util.List;
import java.util.Locale;

/**
 * A change of the rules, or an attempt.
 *
 * @param millis when, since the epoch
 * @param summary in words
 * @param added names of rules
 * @param changed what is different about each
 * @param removed names of rules
 * @param more how many were left out of these lists, so that they stay short
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
  private static final int MOST = 20;
  private static final int LONGEST = 500; // letters of a problem: the log has all of them

  /** What became of it. */
  public enum Result {
    /** The first rules. */
    STARTED,
    /** They are in force. */
    SUCCESS,
    /** The old ones are still in force. */
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
    return List.copyOf(all.subList(0, Math.min(all.size(), MOST)));
  }

  private static int left(List<?> all) {
    return Math.max(0, all.size() - MOST);
  }
}
