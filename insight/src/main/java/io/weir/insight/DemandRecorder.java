package io.weir.insight;

import io.weir.insight.event.DecisionEvent;
import io.weir.insight.whatif.RecordedDemand;
import io.weir.insight.whatif.Resolution;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The recorded demand on one rule: of its heaviest callers, and of a fair sample of all callers.
 *
 * <p>A table of {@link HeavyHitters} finds the heaviest. It has twice as many places as heavy
 * callers are recorded. A new caller is recorded at once while there is room. After that, once a
 * second, a caller takes the place of the lightest if its certain demand is more than half as much
 * again. So the recordings of the heaviest callers last.
 */
final class DemandRecorder {
  private static final double SURELY = 1.5;
  private static final int SWAPS = 8; // per second

  private final Map<Long, RecordedCaller> recorded = new HashMap<>();
  private final HeavyHitters candidates;
  private final CallerSample callerSample;
  private final Map<String, Optional<DemandRecording>> totals = new HashMap<>(); // by part
  private final int maxTotals;
  private final long sinceMillis;
  private int maxHeavy;
  private int heavy;
  private boolean isTouched;
  private boolean hasUnrecordedCallers;
  private long lastSweep;

  /**
   * @param maxTotals for how many parts of the rule all requests are recorded; for other parts they
   *     are estimated from the recorded callers
   */
  DemandRecorder(Decay decay, int callers, int maxTotals, long nowMillis) {
    this.maxHeavy = callers / 2;
    this.candidates = new HeavyHitters(RankingWindow.HOUR, decay, callers);
    long second = Math.floorDiv(nowMillis, 1000);
    this.callerSample = new CallerSample(callers / 2, second);
    this.maxTotals = maxTotals;
    this.sinceMillis = nowMillis;
    this.lastSweep = second;
  }

  void see(RulePart rulePart, String key, long hash, long what, long nowMillis) {
    long second = Math.floorDiv(nowMillis, 1000);
    isTouched = true;
    totals
        .computeIfAbsent(rulePart.id(), any -> newTotal(nowMillis))
        .ifPresent(total -> total.add(second, what));
    long permits = Math.max(1, DecisionEvent.cost(what)) * DecisionEvent.weight(what);
    candidates.add(rulePart, key, hash, (int) Math.min(Integer.MAX_VALUE, permits), 0, nowMillis);
    RecordedCaller recordedCaller = recorded.get(hash);
    if (recordedCaller == null) {
      recordedCaller = admit(rulePart, key, hash, nowMillis);
    }
    if (recordedCaller != null) {
      recordedCaller.lastMillis = nowMillis;
      recordedCaller.demandRecording.add(second, what);
    }
  }

  private Optional<DemandRecording> newTotal(long nowMillis) {
    return totals.size() < maxTotals
        ? Optional.of(new DemandRecording(nowMillis))
        : Optional.empty();
  }

  private @Nullable RecordedCaller admit(RulePart rulePart, String key, long hash, long nowMillis) {
    boolean isHeavy = heavy < maxHeavy;
    boolean isSampled = callerSample.isFor(hash);
    hasUnrecordedCallers |= !isHeavy;
    if (!isHeavy && !isSampled) {
      return null;
    }
    RecordedCaller recordedCaller = new RecordedCaller(rulePart, key, hash, nowMillis);
    recorded.put(hash, recordedCaller);
    if (isHeavy) {
      // A caller that takes a freed place may have been here before, when it was not recorded.
      becomeHeavy(recordedCaller, hasUnrecordedCallers ? nowMillis : Long.MIN_VALUE);
      heavy++;
    }
    if (isSampled) {
      dismissIfIdle(callerSample.add(recordedCaller));
    }
    return recorded.get(hash);
  }

  private static void becomeHeavy(RecordedCaller recordedCaller, long sinceMillis) {
    recordedCaller.isHeavy = true;
    recordedCaller.heavySinceMillis = sinceMillis;
  }

  private void dismissIfIdle(@Nullable RecordedCaller recordedCaller) {
    if (recordedCaller != null && !recordedCaller.isHeavy && !recordedCaller.isSampled) {
      recorded.remove(recordedCaller.hash);
    }
  }

  /** Runs once a second. */
  void keep(long nowMillis) {
    long second = Math.floorDiv(nowMillis, 1000);
    if (isTouched && heavy >= maxHeavy) {
      promote(nowMillis);
    }
    isTouched = false;
    callerSample.moveTo(second);
    if (second - lastSweep >= Resolution.DAY.stepMillis() / 1000) {
      lastSweep = second;
      sweep(second);
    }
  }

  private void promote(long nowMillis) {
    List<Hitter> surest = candidates.surest();
    Map<Long, Double> sure = new HashMap<>();
    surest.forEach(each -> sure.put(each.hash(), each.weight() - each.inherited()));
    List<RecordedCaller> lightest = lightest(sure);
    int swaps = 0;
    for (Hitter each : surest) {
      RecordedCaller known = recorded.get(each.hash());
      if (known != null && known.isHeavy) {
        continue;
      }
      if (swaps >= Math.min(SWAPS, lightest.size())) {
        return;
      }
      RecordedCaller replaced = lightest.get(swaps++);
      double weighs = sure.getOrDefault(replaced.hash, 0.0);
      if (each.weight() - each.inherited() <= SURELY * weighs) {
        return;
      }
      replaced.isHeavy = false;
      replaced.heavySinceMillis = Long.MAX_VALUE;
      dismissIfIdle(replaced);
      RecordedCaller promoted = known == null ? caller(each, nowMillis) : known;
      becomeHeavy(promoted, nowMillis);
      recorded.put(promoted.hash, promoted);
    }
  }

  private static RecordedCaller caller(Hitter hitter, long nowMillis) {
    return new RecordedCaller(hitter.rulePart(), hitter.key(), hitter.hash(), nowMillis);
  }

  private List<RecordedCaller> lightest(Map<Long, Double> sure) {
    List<RecordedCaller> all =
        new ArrayList<>(recorded.values().stream().filter(c -> c.isHeavy).toList());
    all.sort(Comparator.comparingDouble(c -> sure.getOrDefault(c.hash, 0.0)));
    return all.subList(0, Math.min(SWAPS, all.size()));
  }

  /** Removes callers without a request for a day. */
  private void sweep(long second) {
    for (RecordedCaller each : List.copyOf(recorded.values())) {
      if (each.demandRecording.isOver(second)) {
        recorded.remove(each.hash);
        heavy -= each.isHeavy ? 1 : 0;
        callerSample.remove(each);
      }
    }
  }

  /** Whether no caller has made a request for a day. */
  boolean isOver(long nowMillis) {
    long second = Math.floorDiv(nowMillis, 1000);
    return recorded.isEmpty()
        && totals.values().stream().flatMap(Optional::stream).allMatch(each -> each.isOver(second));
  }

  /** Records more callers from now on: first those with the largest certain demand. */
  void growTo(int callers, long nowMillis) {
    maxHeavy = Math.max(maxHeavy, callers / 2);
    candidates.growTo(callers);
    callerSample.growTo(callers / 2);
    for (Hitter each : candidates.surest()) {
      RecordedCaller known = recorded.get(each.hash());
      if (heavy < maxHeavy && (known == null || !known.isHeavy)) {
        RecordedCaller promoted = known == null ? caller(each, nowMillis) : known;
        becomeHeavy(promoted, nowMillis);
        recorded.put(promoted.hash, promoted);
        heavy++;
      }
    }
  }

  /** Records fewer callers from now on. */
  void shrinkTo(int callers) {
    maxHeavy = Math.min(maxHeavy, callers / 2);
    candidates.shrinkTo(callers);
    RecordedCaller removed = callerSample.shrinkTo(callers / 2);
    while (removed != null) {
      dismissIfIdle(removed);
      removed = callerSample.shrinkTo(callers / 2);
    }
    Map<Long, Double> sure = new HashMap<>();
    candidates.surest().forEach(h -> sure.put(h.hash(), h.weight() - h.inherited()));
    while (heavy > maxHeavy) {
      for (RecordedCaller each : lightest(sure)) {
        if (heavy > maxHeavy) {
          each.isHeavy = false;
          each.heavySinceMillis = Long.MAX_VALUE;
          heavy--;
          dismissIfIdle(each);
        }
      }
    }
  }

  void scale(double factor) {
    candidates.scale(factor);
  }

  Stream<String> keys() {
    return recorded.values().stream().map(each -> each.key);
  }

  /**
   * The recorded callers with a key: one for each part of the rule under which the key was seen.
   */
  List<RecordedCaller> callers(String key) {
    return recorded.values().stream().filter(each -> each.key.equals(key)).toList();
  }

  /** For how many parts of the rule all requests are recorded. */
  int totals() {
    return (int) totals.values().stream().filter(Optional::isPresent).count();
  }

  /** A copy of the recorded demand on one part of the rule. */
  RecordedDemand demand(String part, Resolution range, long nowMillis, int sampling) {
    long second = Math.floorDiv(nowMillis, 1000);
    long bound = callerSample.boundOver(range.slots() * range.stepMillis() / 1000);
    List<RecordedDemand.OfCaller> callers = new ArrayList<>();
    for (RecordedCaller each : recorded.values()) {
      boolean isHeavy = each.isHeavy && each.heavySinceMillis <= range.startMillis(second);
      boolean isSampled = each.isSampled && CallerSample.isBelow(each.hash, bound);
      CallerSeries series = each.demandRecording.of(range);
      if (each.rulePart.id().equals(part) && (isHeavy || isSampled) && !series.isEmpty(second)) {
        callers.add(
            new RecordedDemand.OfCaller(
                series.requests(second),
                series.refused(second),
                each.demandRecording.cost(),
                isHeavy));
      }
    }
    double share = CallerSample.share(bound);
    DemandRecording total = totals.getOrDefault(part, Optional.empty()).orElse(null);
    boolean isKnown = total != null || !totals.containsKey(part);
    CallerSeries all = total == null ? new CallerSeries(range) : total.of(range);
    return new RecordedDemand(
        range,
        range.startMillis(second),
        sinceMillis,
        isKnown
            ? all.requests(second)
            : estimate(callers, RecordedDemand.OfCaller::requestsBySlot, range, share),
        isKnown
            ? all.refused(second)
            : estimate(callers, RecordedDemand.OfCaller::refused, range, share),
        callers,
        share,
        sampling);
  }

  private static int[] estimate(
      List<RecordedDemand.OfCaller> callers,
      Function<RecordedDemand.OfCaller, int[]> slots,
      Resolution range,
      double share) {
    double[] sums = new double[range.slots()];
    for (RecordedDemand.OfCaller each : callers) {
      int[] own = slots.apply(each);
      for (int i = 0; i < sums.length; i++) {
        sums[i] += own[i] / (each.isHeavy() ? 1 : share);
      }
    }
    int[] estimated = new int[sums.length];
    for (int i = 0; i < sums.length; i++) {
      estimated[i] = (int) Math.min(Integer.MAX_VALUE, Math.round(sums[i]));
    }
    return estimated;
  }

  int size() {
    return recorded.size();
  }
}
