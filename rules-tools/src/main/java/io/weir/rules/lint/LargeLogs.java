package io.weir.rules.lint;

import io.weir.Limit;
import io.weir.rules.Problem;
import java.util.Locale;
import java.util.function.Consumer;

/** Finds sliding logs with so many entries that they need much memory. */
final class LargeLogs implements LintCheck.OfOneRule {
  /** The measured sizes of an entry, and of a key without entries, in the memory store. */
  private static final long BYTES_AN_ENTRY = 5;

  private static final long BYTES_A_KEY = 46;

  private static final long LARGE_FOR_EACH_KEY = 1_000;
  private static final long LARGE_FOR_ONE_KEY = 2_000_000;

  @Override
  public void inspect(InspectedRule inspectedRule, Consumer<Problem> report) {
    boolean hasOneKey = inspectedRule.rule().per().isEmpty();
    long large = hasOneKey ? LARGE_FOR_ONE_KEY : LARGE_FOR_EACH_KEY;
    for (InspectedRule.InspectedLimits inspectedLimits : inspectedRule.meterages()) {
      for (Limit limit : inspectedLimits.limits()) {
        if (limit instanceof Limit.SlidingLog log && log.permits() >= large) {
          long bytes = log.permits() * BYTES_AN_ENTRY + BYTES_A_KEY;
          report.accept(
              Problem.warning(
                  inspectedLimits.sourceLocation(),
                  "the sliding-log of "
                      + (inspectedLimits.title() + " keeps up to " + log.permits())
                      + " entries, about "
                      + (hasOneKey ? size(bytes) : weight(bytes))
                      + "; sliding-window needs 22 bytes a key, sliding-epochs 4 for each epoch"));
        }
      }
    }
  }

  private static String weight(long bytes) {
    return size(bytes)
        + (" for a busy key, " + size(bytes * 1_000) + " for 1000 of them and ")
        + (size(bytes * 1_000_000) + " for a million");
  }

  private static String size(long bytes) {
    String[] units = {"bytes", "KB", "MB", "GB", "TB", "PB"};
    double size = bytes;
    int unit = 0;
    while (size >= 1000 && unit < units.length - 1) {
      size /= 1000;
      unit++;
    }
    return String.format(
        Locale.ROOT, size < 10 && unit > 0 ? "%.1f %s" : "%.0f %s", size, units[unit]);
  }
}
