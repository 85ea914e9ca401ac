package io.weir.insight;

import io.weir.insight.event.DecisionEvent;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The recorded demand on all rules, of 2,048 callers in total, fewer below 640 MiB of heap: one or
 * two rules with 1,024 callers each, up to 128 rules with 16 each. Beyond that, only the busiest
 * 128 rules are recorded, and those that were requested within the last hour.
 */
final class DemandRecorders {
  private static final int MAX_ALL_CALLERS = 2048;
  private static final int FEWEST_ALL_CALLERS = 256;
  private static final int SHARE_OF_HEAP = 64;
  private static final int MAX_CALLERS = 1024;
  private static final int MAX_RULES = 128;
  private static final int ALL_TOTALS = 256;
  private static final int MAX_TOTALS = 64;
  private static final int FEWEST_TOTALS = 2;
  private static final long CHOICE_MILLIS = 60_000;
  private static final long WANTED_MILLIS = 3_600_000;
  private static final double MUCH_BUSIER = 2;

  private final Map<RuleCallers, DemandRecorder> byRule = new HashMap<>();
  private final Map<RuleCallers, Long> wanted = new HashMap<>();
  private final Map<RuleCallers, Busy> busy = new HashMap<>();
  private final Decay decay;
  private final int allCallers;
  private int callers;
  private long nextChoice;

  DemandRecorders(long nowMillis) {
    this(nowMillis, allCallers(Runtime.getRuntime().maxMemory()));
  }

  DemandRecorders(long nowMillis, int allCallers) {
    this.allCallers = allCallers;
    this.callers = share(1);
    this.decay = new Decay(RankingWindow.HOUR.millis(), nowMillis);
    this.nextChoice = nowMillis + CHOICE_MILLIS;
  }

  /** How many callers of all rules a heap of so many bytes has room for. */
  static int allCallers(long heap) {
    long callers = heap / SHARE_OF_HEAP / DemandRecording.BYTES;
    return (int) Math.max(FEWEST_ALL_CALLERS, Math.min(MAX_ALL_CALLERS, callers));
  }

  void moveTo(long nowMillis) {
    decay.moveTo(nowMillis);
    if (decay.isTooHeavy()) {
      double factor = decay.restart();
      byRule.values().forEach(each -> each.scale(factor));
      busy.values().forEach(each -> each.weight *= factor);
    }
  }

  void see(RuleCallers rule, RulePart rulePart, String key, long hash, long what, long nowMillis) {
    Busy how = busy.computeIfAbsent(rule, any -> new Busy());
    how.weight += DecisionEvent.weight(what) * decay.weight();
    DemandRecorder demandRecorder = byRule.get(rule);
    if (demandRecorder == null && byRule.size() < MAX_RULES) {
      demandRecorder = open(rule, nowMillis);
    }
    if (demandRecorder != null) {
      demandRecorder.see(rulePart, key, hash, what, nowMillis);
    }
  }

  private DemandRecorder open(RuleCallers rule, long nowMillis) {
    int share = share(byRule.size() + 1);
    if (share < callers) {
      callers = share;
      byRule.values().forEach(each -> each.shrinkTo(share));
    }
    DemandRecorder demandRecorder =
        new DemandRecorder(decay, callers, totals(byRule.size() + 1), nowMillis);
    byRule.put(rule, demandRecorder);
    return demandRecorder;
  }

  /** For how many parts of a rule all requests are recorded. */
  private static int totals(int rules) {
    return Math.max(FEWEST_TOTALS, Math.min(MAX_TOTALS, ALL_TOTALS / rules));
  }

  private int share(int rules) {
    int share = Integer.highestOneBit(allCallers / Math.max(1, rules));
    return Math.min(MAX_CALLERS, share);
  }

  /** Distributes the room of removed recorders to the others. */
  private void grow(long nowMillis) {
    int share = share(byRule.size());
    if (share > callers) {
      callers = share;
      byRule.values().forEach(each -> each.growTo(share, nowMillis));
    }
  }

  /** Runs once a second. */
  void keep(long nowMillis) {
    byRule.values().forEach(each -> each.keep(nowMillis));
    grow(nowMillis);
    if (nowMillis >= nextChoice) {
      nextChoice = nowMillis + CHOICE_MILLIS;
      wanted.values().removeIf(until -> until < nowMillis);
      byRule.values().removeIf(each -> each.isOver(nowMillis));
      choose(nowMillis);
    }
  }

  /** The busiest rule without a recorder replaces the least busy rule with one. */
  private void choose(long nowMillis) {
    for (int i = 0; i < MAX_RULES / 8 && byRule.size() >= MAX_RULES; i++) {
      RuleCallers busiest =
          busy.keySet().stream()
              .filter(each -> !byRule.containsKey(each))
              .max(Comparator.comparingDouble(this::weight))
              .orElse(null);
      RuleCallers leastBusy =
          byRule.keySet().stream().min(Comparator.comparingDouble(this::weight)).orElse(null);
      if (busiest == null
          || leastBusy == null
          || weight(busiest) <= MUCH_BUSIER * weight(leastBusy)) {
        return;
      }
      byRule.remove(leastBusy);
      open(busiest, nowMillis);
    }
  }

  private double weight(RuleCallers rule) {
    Busy how = busy.get(rule);
    return wanted.containsKey(rule) ? Double.MAX_VALUE : how == null ? 0 : how.weight;
  }

  /** Marks a rule as wanted and returns its recorder; null if its recording starts only now. */
  @Nullable DemandRecorder want(RuleCallers rule, long nowMillis) {
    if (wanted.size() < MAX_RULES / 8 || wanted.containsKey(rule)) {
      wanted.put(rule, nowMillis + WANTED_MILLIS);
    }
    DemandRecorder demandRecorder = byRule.get(rule);
    if (demandRecorder == null && busy.containsKey(rule)) {
      choose(nowMillis);
    }
    return demandRecorder;
  }

  @Nullable DemandRecorder of(RuleCallers rule) {
    return byRule.get(rule);
  }

  void forget(RuleCallers rule) {
    byRule.remove(rule);
    wanted.remove(rule);
    busy.remove(rule);
  }

  /** The approximate memory use of all of this. */
  long bytes() {
    return byRule.values().stream().mapToLong(DemandRecorder::size).sum()
            * (DemandRecording.BYTES + 400L)
        + byRule.values().stream().mapToLong(DemandRecorder::totals).sum() * DemandRecording.BYTES
        + busy.size() * 80L;
  }

  /** How busy a rule is. */
  private static final class Busy {
    private double weight;
  }
}
