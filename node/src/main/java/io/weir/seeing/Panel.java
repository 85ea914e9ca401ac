package io.weir.seeing;

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
final class Panel {
  private static final double SURELY = 1.5;
  private static final int SWAPS = 8; // per second

  private final Map<Long, Caller> recorded = new HashMap<>();
  private final HeavyHitters candidates;
  private final Sample sample;
  private final Map<String, Optional<Recording>> totals = new HashMap<>(); // by part
  private final int mostTotals;
  private final long sinceMillis;
  private int mostHeavy;
  private int heavy;
  private boolean isTouched;
  private boolean isSomebodyLeftOut;
  private long lastSweep;

  /**
   * @param mostTotals for how many parts of the rule all requests are recorded; for other parts
   *     they are estimated from the recorded callers
   */
  Panel(Decay decay, int callers, int mostTotals, long nowMillis) {
    this.mostHeavy = callers / 2;
    this.candidates = new HeavyHitters(Window.HOUR, decay, callers);
    long second = Math.floorDiv(nowMillis, 1000);
    this.sample = new Sample(callers / 2, second);
    this.mostTotals = mostTotals;
    this.sinceMillis = nowMillis;
    this.lastSweep = second;
  }

  void see(Part part, String key, long hash, long what, long nowMillis) {
    long second = Math.floorDiv(nowMillis, 1000);
    isTouched = true;
    totals
        .computeIfAbsent(part.id(), any -> newTotal(nowMillis))
        .ifPresent(total -> total.add(second, what));
    long permits = Math.max(1, Sighting.cost(what)) * Sighting.weight(what);
    candidates.add(part, key, hash, (int) Math.min(Integer.MAX_VALUE, permits), 0, nowMillis);
    Caller caller = recorded.get(hash);
    if (caller == null) {
      caller = admit(part, key, hash, nowMillis);
    }
    if (caller != null) {
      caller.lastMillis = nowMillis;
      caller.recording.add(second, what);
    }
  }

  private Optional<Recording> newTotal(long nowMillis) {
    return totals.size() < mostTotals ? Optional.of(new Recording(nowMillis)) : Optional.empty();
  }

  private @Nullable Caller admit(Part part, String key, long hash, long nowMillis) {
    boolean isHeavy = heavy < mostHeavy;
    boolean isSampled = sample.isFor(hash);
    isSomebodyLeftOut |= !isHeavy;
    if (!isHeavy && !isSampled) {
      return null;
    }
    Caller caller = new Caller(part, key, hash, nowMillis);
    recorded.put(hash, caller);
    if (isHeavy) {
      // A caller that takes a freed place may have been here before, when it was not recorded.
      becomeHeavy(caller, isSomebodyLeftOut ? nowMillis : Long.MIN_VALUE);
      heavy++;
    }
    if (isSampled) {
      dismissIfIdle(sample.add(caller));
    }
    return recorded.get(hash);
  }

  private static void becomeHeavy(Caller caller, long sinceMillis) {
    caller.isHeavy = true;
    caller.heavySinceMillis = sinceMillis;
  }

  private void dismissIfIdle(@Nullable Caller caller) {
    if (caller != null && !caller.isHeavy && !caller.isSampled) {
      recorded.remove(caller.hash);
    }
  }

  /** Runs once a second. */
  void keep(long nowMillis) {
    long second = Math.floorDiv(nowMillis, 1000);
    if (isTouched && heavy >= mostHeavy) {
      promote(nowMillis);
    }
    isTouched = false;
    sample.moveTo(second);
    if (second - lastSweep >= Grain.DAY.stepMillis() / 1000) {
      lastSweep = second;
      sweep(second);
    }
  }

  private void promote(long nowMillis) {
    List<Hitter> surest = candidates.surest();
    Map<Long, Double> sure = new HashMap<>();
    surest.forEach(each -> sure.put(each.hash(), each.weight() - each.inherited()));
    List<Caller> lightest = lightest(sure);
    int swaps = 0;
    for (Hitter each : surest) {
      Caller known = recorded.get(each.hash());
      if (known != null && known.isHeavy) {
        continue;
      }
      if (swaps >= Math.min(SWAPS, lightest.size())) {
        return;
      }
      Caller loser = lightest.get(swaps++);
      double weighs = sure.getOrDefault(loser.hash, 0.0);
      if (each.weight() - each.inherited() <= SURELY * weighs) {
        return;
      }
      loser.isHeavy = false;
      loser.heavySinceMillis = Long.MAX_VALUE;
      dismissIfIdle(loser);
      Caller winner = known == null ? caller(each, nowMillis) : known;
      becomeHeavy(winner, nowMillis);
      recorded.put(winner.hash, winner);
    }
  }

  private static Caller caller(Hitter hitter, long nowMillis) {
    return new Caller(hitter.part(), hitter.key(), hitter.hash(), nowMillis);
  }

  private List<Caller> lightest(Map<Long, Double> sure) {
    List<Caller> all = new ArrayList<>(recorded.values().stream().filter(c -> c.isHeavy).toList());
    all.sort(Comparator.comparingDouble(c -> sure.getOrDefault(c.hash, 0.0)));
    return all.subList(0, Math.min(SWAPS, all.size()));
  }

  /** Removes callers without a request for a day. */
  private void sweep(long second) {
    for (Caller each : List.copyOf(recorded.values())) {
      if (each.recording.isOver(second)) {
        recorded.remove(each.hash);
        heavy -= each.isHeavy ? 1 : 0;
        sample.remove(each);
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
    mostHeavy = Math.max(mostHeavy, callers / 2);
    candidates.growTo(callers);
    sample.growTo(callers / 2);
    for (Hitter each : candidates.surest()) {
      Caller known = recorded.get(each.hash());
      if (heavy < mostHeavy && (known == null || !known.isHeavy)) {
        Caller winner = known == null ? caller(each, nowMillis) : known;
        becomeHeavy(winner, nowMillis);
        recorded.put(winner.hash, winner);
        heavy++;
      }
    }
  }

  /** Records fewer callers from now on. */
  void shrinkTo(int callers) {
    mostHeavy = Math.min(mostHeavy, callers / 2);
    candidates.shrinkTo(callers);
    Caller gone = sample.shrinkTo(callers / 2);
    while (gone != null) {
      dismissIfIdle(gone);
      gone = sample.shrinkTo(callers / 2);
    }
    Map<Long, Double> sure = new HashMap<>();
    candidates.surest().forEach(h -> sure.put(h.hash(), h.weight() - h.inherited()));
    while (heavy > mostHeavy) {
      for (Caller each : lightest(sure)) {
        if (heavy > mostHeavy) {
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
  List<Caller> callers(String key) {
    return recorded.values().stream().filter(each -> each.key.equals(key)).toList();
  }

  /** For how many parts of the rule all requests are recorded. */
  int totals() {
    return (int) totals.values().stream().filter(Optional::isPresent).count();
  }

  /** A copy of the recorded demand on one part of the rule. */
  Demand demand(String part, Grain range, long nowMillis, int sampling) {
    long second = Math.floorDiv(nowMillis, 1000);
    long bound = sample.boundOver(range.slots() * range.stepMillis() / 1000);
    List<Demand.OfCaller> callers = new ArrayList<>();
    for (Caller each : recorded.values()) {
      boolean isHeavy = each.isHeavy && each.heavySinceMillis <= range.startMillis(second);
      boolean isSampled = each.isSampled && Sample.isBelow(each.hash, bound);
      Trail series = each.recording.of(range);
      if (each.part.id().equals(part) && (isHeavy || isSampled) && !series.isEmpty(second)) {
        callers.add(
            new Demand.OfCaller(
                series.asked(second), series.refused(second), each.recording.cost(), isHeavy));
      }
    }
    double share = Sample.share(bound);
    Recording total = totals.getOrDefault(part, Optional.empty()).orElse(null);
    boolean isKnown = total != null || !totals.containsKey(part);
    Trail all = total == null ? new Trail(range) : total.of(range);
    return new Demand(
        range,
        range.startMillis(second),
        sinceMillis,
        isKnown ? all.asked(second) : estimate(callers, Demand.OfCaller::asked, range, share),
        isKnown ? all.refused(second) : estimate(callers, Demand.OfCaller::refused, range, share),
        callers,
        share,
        sampling);
  }

  private static int[] estimate(
      List<Demand.OfCaller> callers,
      Function<Demand.OfCaller, int[]> slots,
      Grain range,
      double share) {
    double[] sums = new double[range.slots()];
    for (Demand.OfCaller each : callers) {
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
