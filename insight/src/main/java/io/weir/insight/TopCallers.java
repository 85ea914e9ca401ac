package io.weir.insight;

import io.weir.decision.DecisionEngine;
import io.weir.insight.event.DecisionEvent;
import io.weir.insight.event.EventBuffer;
import io.weir.insight.event.KeyTruncation;
import io.weir.insight.whatif.RecordedDemand;
import io.weir.insight.whatif.Resolution;
import io.weir.rules.Rule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The demand of callers. Must be used on the background thread, where everything is up to date: see
 * {@link Insights#ask}.
 */
public final class TopCallers {
  private static final int MAX_A_SECOND = 100_000;

  private final EventBuffer eventBuffer;
  private final RuleNumbers ruleNumbers;
  private final Rankings rankings;
  private final DemandRecorders demandRecorders;
  private final SamplingRate samplingRate;
  private final long secret;
  private final boolean isRecording;
  private long nowMillis;
  private long seen;
  private long unfitBefore;
  private boolean hasMissed;

  /**
   * @param isRecording whether all decisions are noted: then callers are counted and their demand
   *     is recorded
   */
  TopCallers(
      EventBuffer eventBuffer,
      DecisionEngine decisionEngine,
      long nowMillis,
      long secret,
      boolean isRecording) {
    this.eventBuffer = eventBuffer;
    this.ruleNumbers = new RuleNumbers(decisionEngine, this::forget);
    this.rankings = new Rankings(nowMillis);
    this.demandRecorders = new DemandRecorders(nowMillis);
    this.samplingRate = new SamplingRate(nowMillis);
    this.secret = secret;
    this.isRecording = isRecording;
    this.nowMillis = nowMillis;
  }

  private void forget(RuleCallers rule) {
    rankings.forget(rule);
    demandRecorders.forget(rule);
  }

  /** Runs in each round. */
  void update(long millis) {
    nowMillis = Math.max(nowMillis, millis);
    ruleNumbers.renew();
    rankings.moveTo(nowMillis);
    demandRecorders.moveTo(nowMillis);
    samplingRate.note(eventBuffer.halvings(), nowMillis);
    eventBuffer.drain(this::see);
    long unfit = eventBuffer.unfit();
    if (unfit > unfitBefore) {
      eventBuffer.halve(eventBuffer.halvings() + 1);
      unfitBefore = unfit;
      hasMissed = true;
      samplingRate.note(eventBuffer.halvings(), nowMillis);
    }
  }

  private void see(int number, String key, long what) {
    seen += DecisionEvent.weight(what);
    RuleCallers rule = ruleNumbers.numbered(number);
    if (rule == null) {
      ruleNumbers.renew(); // the rules may have changed since this round began
      rule = ruleNumbers.numbered(number);
    }
    if (rule != null) {
      long hash = KeyTruncation.hash(secret, key);
      RulePart rulePart = rule.part(DecisionEvent.override(what));
      rankings.see(rule, rulePart, key, hash ^ rulePart.salt(), what, nowMillis);
      if (isRecording) {
        rule.see(hash, what, nowMillis);
        demandRecorders.see(rule, rulePart, key, hash ^ rulePart.salt(), what, nowMillis);
      }
    }
  }

  /** Runs once a second. */
  void pace(long second) {
    long needed = (seen + MAX_A_SECOND - 1) / MAX_A_SECOND;
    int halvings = needed <= 1 ? 0 : 64 - Long.numberOfLeadingZeros(needed - 1);
    // Sampling rises by one step at a time, because the load may come back in a moment.
    eventBuffer.halve(Math.max(halvings, eventBuffer.halvings() - (hasMissed ? 0 : 1)));
    hasMissed = false;
    seen = 0;
    demandRecorders.keep(nowMillis);
  }

  /**
   * The callers that were seen most.
   *
   * @param rule a label; null: all rules
   */
  public List<RankedCaller> top(
      RankingKind rankingKind, RankingWindow rankingWindow, @Nullable String rule, int maxCallers) {
    RuleCallers only = rule == null ? null : ruleNumbers.labelled(rule);
    return rule != null && only == null
        ? List.of()
        : rankings.top(rankingKind, rankingWindow, only, maxCallers, nowMillis);
  }

  /** How many places each ranking table has now. */
  public int places() {
    return rankings.places();
  }

  /** How many callers a rule has. */
  public DistinctCallers census(String rule) {
    RuleCallers ruleCallers = ruleNumbers.labelled(rule);
    return ruleCallers == null ? DistinctCallers.NOBODY : ruleCallers.census(nowMillis);
  }

  /** The caller of a rule with this id; empty if it is unknown or forgotten. */
  public Optional<CallerKey> find(String rule, String id) {
    RuleCallers ruleCallers = ruleNumbers.labelled(rule);
    if (ruleCallers == null) {
      return Optional.empty();
    }
    DemandRecorder demandRecorder = demandRecorders.of(ruleCallers);
    return Stream.concat(
            rankings.keys(ruleCallers),
            demandRecorder == null ? Stream.empty() : demandRecorder.keys())
        .distinct()
        .map(ruleCallers::key)
        .filter(callerKey -> callerKey.id().equals(id))
        .findFirst();
  }

  /**
   * The limits of a rule under which a caller was seen, the most recent first: ids of overrides,
   * empty for the rule's own limits. The list is empty if the caller is unknown.
   *
   * @param rule a label
   */
  public List<String> limitsOf(String rule, CallerKey callerKey) {
    RuleCallers ruleCallers = ruleNumbers.labelled(rule);
    if (ruleCallers == null) {
      return List.of();
    }
    Map<String, Long> last = new HashMap<>();
    BiConsumer<RulePart, Long> viewer =
        (rulePart, millis) -> {
          if (ruleCallers.has(rulePart)) {
            last.merge(rulePart.id(), millis, Math::max);
          }
        };
    rankings.lastSeen(ruleCallers, callerKey.kept(), viewer);
    DemandRecorder demandRecorder = demandRecorders.of(ruleCallers);
    if (demandRecorder != null) {
      demandRecorder
          .callers(callerKey.kept())
          .forEach(each -> viewer.accept(each.rulePart, each.lastMillis));
    }
    return last.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .map(Map.Entry::getKey)
        .toList();
  }

  /**
   * The caller of a rule with this key, seen or not. May be called on any thread.
   *
   * @param label the rule's
   */
  public CallerKey named(Rule rule, String label, String key) {
    return ruleNumbers.key(rule, label, key);
  }

  /** The demand of a caller; empty if it is not recorded. */
  public Optional<CallerHistory> chronicle(String rule, CallerKey callerKey, Resolution range) {
    RuleCallers ruleCallers = ruleNumbers.labelled(rule);
    DemandRecorder demandRecorder =
        ruleCallers == null ? null : demandRecorders.want(ruleCallers, nowMillis);
    List<RecordedCaller> recorded =
        demandRecorder == null ? List.of() : demandRecorder.callers(callerKey.kept());
    if (recorded.isEmpty()) {
      return Optional.empty();
    }
    long second = Math.floorDiv(nowMillis, 1000);
    int[] requests = new int[range.slots()];
    int[] refused = new int[range.slots()];
    for (RecordedCaller each : recorded) {
      add(each.demandRecording.of(range).requests(second), requests);
      add(each.demandRecording.of(range).refused(second), refused);
    }
    return Optional.of(
        new CallerHistory(
            callerKey,
            range.startMillis(second),
            range.endMillis(second),
            recorded.stream()
                .mapToLong(each -> each.demandRecording.sinceMillis())
                .min()
                .orElseThrow(),
            requests,
            refused,
            thinnest(range)));
  }

  private static void add(int[] slots, int[] to) {
    for (int i = 0; i < to.length; i++) {
      to[i] = (int) Math.min(Integer.MAX_VALUE, (long) to[i] + slots[i]);
    }
  }

  /**
   * The demand on a rule: empty if it was not recorded, but recording starts now.
   *
   * @param override the {@link io.weir.rules.RuleOverride#id} of an override; empty: the rule's own
   *     limits
   */
  public RecordedDemand demand(String rule, String override, Resolution range) {
    RuleCallers ruleCallers = ruleNumbers.labelled(rule);
    DemandRecorder demandRecorder =
        ruleCallers == null ? null : demandRecorders.want(ruleCallers, nowMillis);
    return demandRecorder == null
        ? RecordedDemand.none(range, nowMillis)
        : demandRecorder.demand(override, range, nowMillis, thinnest(range));
  }

  /** The time of the last round, in milliseconds since the epoch. */
  public long nowMillis() {
    return nowMillis;
  }

  /** One in how many decisions is noted now. */
  public int sampling() {
    return eventBuffer.oneIn();
  }

  /** One in how many decisions was noted in a window, at the lowest sampling rate. */
  public int thinnest(RankingWindow rankingWindow) {
    return samplingRate.oneIn(rankingWindow.start(nowMillis));
  }

  /** One in how many decisions was noted in a range, at the lowest sampling rate. */
  public int thinnest(Resolution range) {
    return samplingRate.oneIn(range.startMillis(Math.floorDiv(nowMillis, 1000)));
  }

  /**
   * One in how many decisions was noted in the time of a {@link DistinctCallers}, at the lowest
   * sampling rate.
   */
  public int thinnestOfCensus() {
    return samplingRate.oneIn(HyperLogLog.startMillis(nowMillis));
  }

  /** How many decisions were missed because too many came at once. */
  public long missed() {
    return eventBuffer.missed();
  }

  /** The approximate memory use of all of this. */
  public long bytes() {
    return eventBuffer.bytes()
        + rankings.bytes()
        + demandRecorders.bytes()
        + ruleNumbers.all().stream().mapToLong(RuleCallers::bytes).sum();
  }
}
