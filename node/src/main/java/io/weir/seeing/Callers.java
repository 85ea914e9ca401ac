package io.weir.seeing;

import io.weir.arbiter.Arbiter;
import io.weir.rules.Rule;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The demand of callers. Must be used on the watchman's thread, where everything is up to date: see
 * {@link Watchman#ask}.
 */
public final class Callers {
  private static final int MOST_A_SECOND = 100_000;

  private final Sightings sightings;
  private final Ledger ledger;
  private final Rankings rankings;
  private final Panels panels;
  private final Thinning thinning;
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
  Callers(Sightings sightings, Arbiter arbiter, long nowMillis, long secret, boolean isRecording) {
    this.sightings = sightings;
    this.ledger = new Ledger(arbiter, this::forget);
    this.rankings = new Rankings(nowMillis);
    this.panels = new Panels(nowMillis);
    this.thinning = new Thinning(nowMillis);
    this.secret = secret;
    this.isRecording = isRecording;
    this.nowMillis = nowMillis;
  }

  private void forget(RuleWatch rule) {
    rankings.forget(rule);
    panels.forget(rule);
  }

  /** Runs in each round. */
  void look(long millis) {
    nowMillis = Math.max(nowMillis, millis);
    ledger.renew();
    rankings.moveTo(nowMillis);
    panels.moveTo(nowMillis);
    thinning.note(sightings.halvings(), nowMillis);
    sightings.drain(this::see);
    long unfit = sightings.unfit();
    if (unfit > unfitBefore) {
      sightings.halve(sightings.halvings() + 1);
      unfitBefore = unfit;
      hasMissed = true;
      thinning.note(sightings.halvings(), nowMillis);
    }
  }

  private void see(int number, String key, long what) {
    seen += Sighting.weight(what);
    RuleWatch rule = ledger.numbered(number);
    if (rule == null) {
      ledger.renew(); // the rules may have changed since this round began
      rule = ledger.numbered(number);
    }
    if (rule != null) {
      long hash = LongKeys.hash(secret, key);
      Part part = rule.part(Sighting.override(what));
      rankings.see(rule, part, key, hash ^ part.salt(), what, nowMillis);
      if (isRecording) {
        rule.see(hash, what, nowMillis);
        panels.see(rule, part, key, hash ^ part.salt(), what, nowMillis);
      }
    }
  }

  /** Runs once a second. */
  void pace(long second) {
    long needed = (seen + MOST_A_SECOND - 1) / MOST_A_SECOND;
    int halvings = needed <= 1 ? 0 : 64 - Long.numberOfLeadingZeros(needed - 1);
    // Sampling rises by one step at a time, because the load may come back in a moment.
    sightings.halve(Math.max(halvings, sightings.halvings() - (hasMissed ? 0 : 1)));
    hasMissed = false;
    seen = 0;
    panels.keep(nowMillis);
  }

  /**
   * The callers that were seen most.
   *
   * @param rule a label; null: all rules
   */
  public List<Ranked> top(Kind kind, Window window, @Nullable String rule, int most) {
    RuleWatch only = rule == null ? null : ledger.labelled(rule);
    return rule != null && only == null
        ? List.of()
        : rankings.top(kind, window, only, most, nowMillis);
  }

  /** How many places each ranking table has now. */
  public int places() {
    return rankings.places();
  }

  /** How many callers a rule has. */
  public Census census(String rule) {
    RuleWatch watch = ledger.labelled(rule);
    return watch == null ? Census.NOBODY : watch.census(nowMillis);
  }

  /** The caller of a rule with this id; empty if it is unknown or forgotten. */
  public Optional<Key> find(String rule, String id) {
    RuleWatch watch = ledger.labelled(rule);
    if (watch == null) {
      return Optional.empty();
    }
    Panel panel = panels.of(watch);
    return Stream.concat(rankings.keys(watch), panel == null ? Stream.empty() : panel.keys())
        .distinct()
        .map(watch::key)
        .filter(key -> key.id().equals(id))
        .findFirst();
  }

  /**
   * The limits of a rule under which a caller was seen, the most recent first: ids of overrides,
   * empty for the rule's own limits. The list is empty if the caller is unknown.
   *
   * @param rule a label
   */
  public List<String> limitsOf(String rule, Key key) {
    RuleWatch watch = ledger.labelled(rule);
    if (watch == null) {
      return List.of();
    }
    Map<String, Long> last = new HashMap<>();
    BiConsumer<Part, Long> viewer =
        (part, millis) -> {
          if (watch.has(part)) {
            last.merge(part.id(), millis, Math::max);
          }
        };
    rankings.sightings(watch, key.kept(), viewer);
    Panel panel = panels.of(watch);
    if (panel != null) {
      panel.callers(key.kept()).forEach(each -> viewer.accept(each.part, each.lastMillis));
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
  public Key named(Rule rule, String label, String key) {
    return ledger.key(rule, label, key);
  }

  /** The demand of a caller; empty if it is not recorded. */
  public Optional<Chronicle> chronicle(String rule, Key key, Grain range) {
    RuleWatch watch = ledger.labelled(rule);
    Panel panel = watch == null ? null : panels.want(watch, nowMillis);
    List<Caller> recorded = panel == null ? List.of() : panel.callers(key.kept());
    if (recorded.isEmpty()) {
      return Optional.empty();
    }
    long second = Math.floorDiv(nowMillis, 1000);
    int[] asked = new int[range.slots()];
    int[] refused = new int[range.slots()];
    for (Caller each : recorded) {
      add(each.recording.of(range).asked(second), asked);
      add(each.recording.of(range).refused(second), refused);
    }
    return Optional.of(
        new Chronicle(
            key,
            range.startMillis(second),
            range.endMillis(second),
            recorded.stream().mapToLong(each -> each.recording.sinceMillis()).min().orElseThrow(),
            asked,
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
   * @param override the {@link io.weir.rules.Variant#id} of an override; empty: the rule's own
   *     limits
   */
  public Demand demand(String rule, String override, Grain range) {
    RuleWatch watch = ledger.labelled(rule);
    Panel panel = watch == null ? null : panels.want(watch, nowMillis);
    return panel == null
        ? Demand.none(range, nowMillis)
        : panel.demand(override, range, nowMillis, thinnest(range));
  }

  /** The time of the last round, in milliseconds since the epoch. */
  public long nowMillis() {
    return nowMillis;
  }

  /** One in how many decisions is noted now. */
  public int sampling() {
    return sightings.oneIn();
  }

  /** One in how many decisions was noted in a window, at the lowest sampling rate. */
  public int thinnest(Window window) {
    return thinning.oneIn(window.start(nowMillis));
  }

  /** One in how many decisions was noted in a range, at the lowest sampling rate. */
  public int thinnest(Grain range) {
    return thinning.oneIn(range.startMillis(Math.floorDiv(nowMillis, 1000)));
  }

  /**
   * One in how many decisions was noted in the time of a {@link Census}, at the lowest sampling
   * rate.
   */
  public int thinnestOfCensus() {
    return thinning.oneIn(Distinct.startMillis(nowMillis));
  }

  /** How many decisions were missed because too many came at once. */
  public long missed() {
    return sightings.missed();
  }

  /** The approximate memory use of all of this. */
  public long bytes() {
    return sightings.bytes()
        + rankings.bytes()
        + panels.bytes()
        + ledger.all().stream().mapToLong(RuleWatch::bytes).sum();
  }
}
