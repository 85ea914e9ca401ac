package io.weir.decision;

import io.weir.logs.LogEntry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Logs refusals: at most one line per rule in ten seconds, and only the five rules that refused
 * most. So a refused client cannot flood the log. The totals are exact, because they come from the
 * difference of the counters.
 */
public final class RefusalLog {
  private static final System.Logger LOG = System.getLogger("io.weir.refusals");
  private static final int PERIOD_SECONDS = 10;
  private static final int MAX_RULES = 5;

  private final Supplier<List<RuleCounters>> rules;
  private final Function<String, String> callers;
  private Map<Integer, Long> before = new HashMap<>(); // by number
  private long began = Long.MIN_VALUE;

  /**
   * @param rules the counters
   * @param callers describes the callers that a rule refuses, as the end of the log line; empty if
   *     nothing is known
   */
  public RefusalLog(Supplier<List<RuleCounters>> rules, Function<String, String> callers) {
    this.rules = rules;
    this.callers = callers;
  }

  /** Runs once per second. */
  public void second(long epochSecond) {
    if (began == Long.MIN_VALUE) {
      began = epochSecond;
    } else if (epochSecond - began >= PERIOD_SECONDS) {
      log(epochSecond - began);
      began = epochSecond;
    }
  }

  private void log(long seconds) {
    Map<Integer, Long> now = new HashMap<>(); // only rules that ever refused
    List<Refused> refused = new ArrayList<>();
    for (RuleCounters rule : rules.get()) {
      long count = rule.count(RuleOutcome.DENIED);
      if (count > 0) {
        now.put(rule.number(), count);
        Long previous = before.get(rule.number());
        long more = count - (previous == null ? rule.before().count(RuleOutcome.DENIED) : previous);
        if (more > 0) {
          refused.add(new Refused(rule.label(), more));
        }
      }
    }
    before = now;
    refused.sort(Comparator.comparingLong(Refused::requests).reversed());
    int shown = Math.min(MAX_RULES, refused.size());
    refused.subList(0, shown).forEach(each -> log(each, seconds));
    logOthers(refused.subList(shown, refused.size()), seconds);
  }

  private void log(Refused refused, long seconds) {
    String topCallers = callers.apply(refused.rule());
    LogEntry.of(
            "rule %s refused %s in %d s%s"
                .formatted(
                    refused.rule(),
                    refused.requests() == 1 ? "1 request" : refused.requests() + " requests",
                    seconds,
                    topCallers.isEmpty() ? "" : ", " + topCallers))
        .with("rule", refused.rule())
        .with("refused", refused.requests())
        .with("seconds", seconds)
        .log(LOG, System.Logger.Level.INFO);
  }

  private static void logOthers(List<Refused> others, long seconds) {
    if (!others.isEmpty()) {
      long requests = others.stream().mapToLong(Refused::requests).sum();
      LogEntry.of(
              "%d more rules refused %d requests in %d s"
                  .formatted(others.size(), requests, seconds))
          .with("rules", others.size())
          .with("refused", requests)
          .with("seconds", seconds)
          .log(LOG, System.Logger.Level.INFO);
    }
  }

  private record Refused(String rule, long requests) {}
}
