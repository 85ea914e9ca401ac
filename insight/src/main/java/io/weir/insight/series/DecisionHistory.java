package io.weir.insight.series;

import io.weir.decision.DecisionCounters;
import io.weir.decision.RuleCounters;
import io.weir.rules.RuleSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Counts of requests and of each rule's decisions over time.
 *
 * <p>The decision path does no extra work: once a second the exact counters are read, and their
 * increase goes into the current slot of each {@link SeriesRange}. So the slots of a range that
 * reaches back to the start add up exactly to the counters.
 *
 * <p>Not thread-safe: belongs to the background thread.
 */
public final class DecisionHistory {
  /*
   * Each used rule has its own buffer, of 4 KiB per outcome that ever occurred. There are at most
   * 500 buffers: 8 MiB if all rules had all outcomes. Beyond that, the busiest rules have them, by a
   * measure that decays; a rule that became busier may replace one that became quieter. All other
   * rules together are the total minus these buffers. So an exchange loses nothing, and nothing
   * counts twice.
   */

  /** The maximum number of rules with their own buffer; fewer below 500 MiB of heap. */
  public static final int MAX_BUFFERS = 500;

  private static final int SHARE_OF_HEAP = 64;
  private static final int BUFFER_BYTES = 16 * 1024;

  private static final int MAX_IN_A_TICK = 50;
  private static final int MAX_EXCHANGES = 20;
  private static final int ELECTION_SECONDS = 60;
  private static final double FADING = 0.99; // per minute: halves in 69
  private static final long MAX_DELAY_SECONDS = 10;
  private static final long NEVER = Long.MAX_VALUE / 2;

  private final DecisionCounters decisionCounters;
  private final Supplier<RuleSet> inForce;
  private final int maxBuffers;
  private final long started;
  private final SeriesBuffer all;
  private final SeriesBuffer requests;
  private final LastMinute lastMinute;
  private final LastMinute requestMinute;
  private final DecisionLatency decisionLatency;
  private final long[] totals = new long[RuleSeries.COUNTERS];
  // the increase of the series that was read last
  private final long[] more = new long[RuleSeries.COUNTERS];
  private final List<RuleSeries> leaving = new ArrayList<>();
  private final Map<String, long[]> sinceTick = new HashMap<>();
  private final long[] allSinceTick = new long[RuleSeries.COUNTERS];
  private final long[] requestsSinceTick = new long[RequestCounts.MEASURES];

  private Map<String, RuleSeries> seriesByLabel = new LinkedHashMap<>();
  private List<RuleCounters> known = List.of();
  private long[] requestTotals = new long[RequestCounts.MEASURES];
  private long now;
  private long lastElection;
  private int buffers;

  /**
   * Starts a history.
   *
   * @param inForce the rules in force now
   * @param second now, since the epoch
   */
  public DecisionHistory(
      DecisionCounters decisionCounters, Supplier<RuleSet> inForce, long second) {
    this(decisionCounters, inForce, second, maxBuffers(Runtime.getRuntime().maxMemory()));
  }

  /** How many rules a heap of so many bytes has room for. */
  static int maxBuffers(long heap) {
    return (int) Math.min(MAX_BUFFERS, heap / SHARE_OF_HEAP / BUFFER_BYTES);
  }

  DecisionHistory(
      DecisionCounters decisionCounters, Supplier<RuleSet> inForce, long second, int maxBuffers) {
    this.decisionCounters = decisionCounters;
    this.inForce = inForce;
    this.maxBuffers = maxBuffers;
    this.now = second;
    this.started = second;
    this.lastElection = second;
    this.all = new SeriesBuffer(RuleSeries.OUTCOMES, second);
    this.requests = new SeriesBuffer(RequestCounts.MEASURES, second);
    this.lastMinute = new LastMinute(RuleSeries.MEASURES, second);
    this.requestMinute = new LastMinute(RequestCounts.MEASURES, second);
    this.decisionLatency = new DecisionLatency(decisionCounters.decisionTimings(), second);
    read(second);
  }

  /**
   * Reads the counters. While the clock is behind after a step back, counts go to the last slot.
   * After a delay of a few seconds, counts are spread evenly over the missed seconds. A longer gap
   * is a clock step forward, and all counts go to the present.
   *
   * @param second now, since the epoch
   */
  public void read(long second) {
    long before = now;
    now = Math.max(now, second);
    boolean isLate = now - before > 1 && now - before <= MAX_DELAY_SECONDS;
    long first = isLate ? before + 1 : now;
    updateSeries();
    for (RuleSeries ruleSeries : seriesByLabel.values()) {
      if (ruleSeries.read()) {
        note(ruleSeries, first);
      } else if (ruleSeries.lastMinute != null && ruleSeries.lastMinute.isEmpty(now)) {
        ruleSeries.lastMinute = null;
      }
    }
    for (RuleSeries ruleSeries : leaving) {
      if (ruleSeries.read()) {
        noteOfAll(ruleSeries, first);
      }
    }
    leaving.removeIf(ruleSeries -> --ruleSeries.remainingReads < 0);
    readRequests(first);
    decisionLatency.read(now);
    if (now - lastElection >= ELECTION_SECONDS) {
      lastElection = now;
      reassignBuffers();
    }
  }

  private void readRequests(long first) {
    long[] counts = RequestCounts.read(decisionCounters);
    for (int i = 0; i < counts.length; i++) {
      long more = counts[i] - requestTotals[i];
      if (more != 0) {
        requests.add(i, more, first, now);
        requestMinute.add(i, more, now);
        requestsSinceTick[i] += more;
      }
    }
    requestTotals = counts;
  }

  /** {@link #read}; returns the changes since the last tick. */
  public Tick tick(long second) {
    read(second);
    List<Tick.OfRule> busiest =
        sinceTick.entrySet().stream()
            .map(each -> new Tick.OfRule(each.getKey(), each.getValue()))
            .sorted(Comparator.comparingLong(Tick.OfRule::sum).reversed())
            .limit(MAX_IN_A_TICK)
            .toList();
    OutcomeCounts together =
        new OutcomeCounts(
            Arrays.copyOf(allSinceTick, RuleSeries.OUTCOMES),
            allSinceTick[RuleSeries.NEAR],
            RuleSeries.fallbacks(allSinceTick));
    RequestCounts requests = RequestCounts.of(requestsSinceTick);
    sinceTick.clear();
    Arrays.fill(allSinceTick, 0);
    Arrays.fill(requestsSinceTick, 0);
    return new Tick(now, requests, together, busiest, speed());
  }

  /** Adds series for new rules and retires those of removed rules. */
  // the list stays the same object while the rules do not change
  @SuppressWarnings("ReferenceEquality")
  private void updateSeries() {
    List<RuleCounters> present = decisionCounters.rules(inForce);
    if (present == known) {
      return;
    }
    known = present;
    Map<Integer, RuleSeries> old = new HashMap<>();
    leaving.forEach(ruleSeries -> old.put(ruleSeries.counters.number(), ruleSeries));
    seriesByLabel.values().forEach(ruleSeries -> old.put(ruleSeries.counters.number(), ruleSeries));
    Set<Integer> numbers = present.stream().map(RuleCounters::number).collect(Collectors.toSet());
    leaving.removeIf(ruleSeries -> numbers.contains(ruleSeries.counters.number()));
    Map<String, RuleSeries> next = new LinkedHashMap<>();
    for (RuleCounters each : present) {
      RuleSeries known = old.remove(each.number());
      RuleSeries ruleSeries = known == null ? new RuleSeries(each, now, more) : known;
      ruleSeries.counters = each; // its label may have changed
      next.put(each.label(), ruleSeries);
    }
    for (RuleSeries removed : seriesByLabel.values()) {
      if (old.containsKey(removed.counters.number())) {
        buffers -= removed.seriesBuffer == null ? 0 : 1;
        removed.seriesBuffer = null;
        removed.remainingReads = RuleSeries.FINAL_READS;
        leaving.add(removed);
      }
    }
    seriesByLabel = next;
  }

  private void note(RuleSeries ruleSeries, long first) {
    noteOfAll(ruleSeries, first);
    LastMinute recent = ruleSeries.lastMinute;
    if (recent == null) {
      recent = new LastMinute(RuleSeries.MEASURES, now);
      ruleSeries.lastMinute = recent;
    }
    addTo(recent, ruleSeries.more);
    SeriesBuffer own = ruleSeries.seriesBuffer;
    if (own == null && buffers < maxBuffers) {
      own = begin(ruleSeries, ruleSeries.isActive() ? now : ruleSeries.since);
    }
    if (own != null) {
      addTo(own, ruleSeries.more, first);
    }
    long decisions = ruleSeries.moreDecisions();
    if (decisions > 0) {
      ruleSeries.decisionsSinceElection += decisions;
      ruleSeries.lastActive = now;
      long[] sum =
          sinceTick.computeIfAbsent(
              ruleSeries.counters.label(), any -> new long[RuleSeries.OUTCOMES]);
      for (int i = 0; i < RuleSeries.OUTCOMES; i++) {
        sum[i] += ruleSeries.more[i];
      }
    }
  }

  private SeriesBuffer begin(RuleSeries ruleSeries, long since) {
    buffers++;
    SeriesBuffer own = new SeriesBuffer(RuleSeries.OUTCOMES, since);
    ruleSeries.seriesBuffer = own;
    return own;
  }

  private void noteOfAll(RuleSeries ruleSeries, long first) {
    for (int i = 0; i < RuleSeries.COUNTERS; i++) {
      totals[i] += ruleSeries.more[i];
      allSinceTick[i] += ruleSeries.more[i];
    }
    addTo(lastMinute, ruleSeries.more);
    addTo(all, ruleSeries.more, first);
  }

  private void addTo(LastMinute recent, long[] more) {
    for (int i = 0; i < RuleSeries.FALLBACKS; i++) {
      if (more[i] != 0) {
        recent.add(i, more[i], now);
      }
    }
    long fallbacks = RuleSeries.fallbacks(more);
    if (fallbacks != 0) {
      recent.add(RuleSeries.FALLBACKS, fallbacks, now);
    }
  }

  private void addTo(SeriesBuffer line, long[] more, long first) {
    for (int i = 0; i < RuleSeries.OUTCOMES; i++) {
      if (more[i] != 0) {
        line.add(i, more[i], first, now);
      }
    }
  }

  /** Gives buffers to the busiest rules and takes them from quieter ones. */
  private void reassignBuffers() {
    for (RuleSeries ruleSeries : seriesByLabel.values()) {
      ruleSeries.busyness = ruleSeries.busyness * FADING + ruleSeries.decisionsSinceElection;
      ruleSeries.decisionsSinceElection = 0;
    }
    if (buffers < maxBuffers) {
      return;
    }
    List<RuleSeries> without =
        seriesByLabel.values().stream()
            .filter(ruleSeries -> ruleSeries.seriesBuffer == null && ruleSeries.busyness > 0)
            .sorted(
                Comparator.comparingDouble((RuleSeries ruleSeries) -> ruleSeries.busyness)
                    .reversed())
            .limit(MAX_EXCHANGES)
            .toList();
    List<RuleSeries> with =
        seriesByLabel.values().stream()
            .filter(ruleSeries -> ruleSeries.seriesBuffer != null)
            .sorted(Comparator.comparingDouble(ruleSeries -> ruleSeries.busyness))
            .limit(MAX_EXCHANGES)
            .toList();
    for (int i = 0; i < Math.min(with.size(), without.size()); i++) {
      if (without.get(i).busyness > 2 * with.get(i).busyness) {
        with.get(i).seriesBuffer = null;
        buffers--;
        begin(without.get(i), now + 1);
      }
    }
  }

  /** When it began, in seconds since the epoch. */
  public long started() {
    return started;
  }

  /** The requests since the start. */
  public RequestCounts requestCounts() {
    return RequestCounts.of(requestTotals);
  }

  /** The requests of the last minute. */
  public RequestCounts requestsOfLastMinute() {
    long[] counts = new long[RequestCounts.MEASURES];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = requestMinute.sum(i, now);
    }
    return RequestCounts.of(counts);
  }

  /** The requests over time. */
  public Chart requests(SeriesRange seriesRange) {
    long[][] counts = new long[RequestCounts.MEASURES][];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = requests.read(seriesRange, i, now);
    }
    return drawn(
        seriesRange, List.of(new ChartSeries(null, requests.unknown(seriesRange, now), counts)));
  }

  /** The decisions since the start, including those of removed rules. */
  public OutcomeCounts totals() {
    return new OutcomeCounts(
        Arrays.copyOf(totals, RuleSeries.OUTCOMES),
        totals[RuleSeries.NEAR],
        RuleSeries.fallbacks(totals));
  }

  /**
   * How many decisions each {@link io.weir.OnFailure} made since the start, in the order of the
   * enum.
   */
  public long[] fallbacks() {
    return Arrays.copyOfRange(totals, RuleSeries.FALLBACKS, RuleSeries.COUNTERS);
  }

  /** The decisions of the last minute. */
  public OutcomeCounts lastMinute() {
    return RuleSeries.counts(lastMinute, now);
  }

  /** How many decisions of each rule were made without the store in the last minute. */
  Map<String, Long> lastMinuteFallbacks() {
    Map<String, Long> byRule = new LinkedHashMap<>();
    if (lastMinute.sum(RuleSeries.FALLBACKS, now) > 0) {
      for (RuleSeries ruleSeries : seriesByLabel.values()) {
        long count =
            ruleSeries.lastMinute == null
                ? 0
                : ruleSeries.lastMinute.sum(RuleSeries.FALLBACKS, now);
        if (count > 0) {
          byRule.put(ruleSeries.counters.label(), count);
        }
      }
    }
    return byRule;
  }

  /** How many seconds that minute covers so far. */
  public long lastMinuteSeconds() {
    return Math.max(1, Math.min(LastMinute.seconds(now), now - started + 1));
  }

  /** The decision times of the last minute. */
  public DecisionLatency.Quantiles speed() {
    return decisionLatency.quantiles(now);
  }

  /** The history of a rule; null if it was not in force a second ago or is not now. */
  public @Nullable RuleHistory rule(String label) {
    RuleSeries ruleSeries = seriesByLabel.get(label);
    return ruleSeries == null ? null : RuleHistory.of(ruleSeries, now);
  }

  /** Records how many decisions the overflow bucket of a rule has made so far. */
  public void overflowed(String label, long times) {
    RuleSeries ruleSeries = seriesByLabel.get(label);
    if (ruleSeries != null && times != ruleSeries.overflowed) {
      ruleSeries.overflowed = times;
      ruleSeries.lastOverflow = now;
    }
  }

  private SeriesBuffer buffer(String label) {
    RuleSeries ruleSeries = seriesByLabel.get(label);
    if (ruleSeries == null) {
      return new SeriesBuffer(RuleSeries.OUTCOMES, NEVER); // for example, it is off
    }
    SeriesBuffer own = ruleSeries.seriesBuffer;
    // A rule without a buffer was either never used, or its decisions were not recorded.
    return own == null
        ? new SeriesBuffer(RuleSeries.OUTCOMES, ruleSeries.isActive() ? NEVER : ruleSeries.since)
        : own;
  }

  /** The decisions of one rule over time. */
  public Chart chart(SeriesRange seriesRange, String label) {
    return drawn(seriesRange, List.of(line(label, buffer(label), seriesRange)));
  }

  /**
   * The busiest rules, the busiest first, then all others combined. They add up to the decisions of
   * all rules. That may exceed the number of requests, because a request counts in each rule that
   * applied.
   */
  public Chart byRule(SeriesRange seriesRange, int top) {
    List<ChartSeries> lines = new ArrayList<>();
    for (RuleSeries ruleSeries : seriesByLabel.values()) {
      if (ruleSeries.seriesBuffer != null) {
        lines.add(line(ruleSeries.counters.label(), ruleSeries.seriesBuffer, seriesRange));
      }
    }
    lines.sort(Comparator.comparingLong(ChartSeries::sum).reversed());
    List<ChartSeries> shown = new ArrayList<>(lines.subList(0, Math.min(top, lines.size())));
    shown.removeIf(chartSeries -> chartSeries.sum() == 0);
    ChartSeries others = line(null, all, seriesRange);
    for (ChartSeries chartSeries : shown) {
      others = others.minus(chartSeries);
    }
    shown.add(others);
    return drawn(seriesRange, shown);
  }

  private Chart drawn(SeriesRange seriesRange, List<ChartSeries> lines) {
    return new Chart(seriesRange, (seriesRange.slot(now) + 1) * seriesRange.step(), lines);
  }

  private ChartSeries line(@Nullable String label, SeriesBuffer of, SeriesRange seriesRange) {
    long[][] counts = new long[RuleSeries.OUTCOMES][];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = of.read(seriesRange, i, now);
    }
    return new ChartSeries(label, of.unknown(seriesRange, now), counts);
  }

  /** The approximate memory use, in bytes. */
  public long bytes() {
    long bytes = all.bytes() + requests.bytes();
    for (RuleSeries ruleSeries : seriesByLabel.values()) {
      bytes += 400; // the series itself and its table entry
      bytes += ruleSeries.lastMinute == null ? 0 : 64 + 4L * LastMinute.SLOTS * RuleSeries.MEASURES;
      bytes += ruleSeries.seriesBuffer == null ? 0 : ruleSeries.seriesBuffer.bytes();
    }
    return bytes;
  }
}
