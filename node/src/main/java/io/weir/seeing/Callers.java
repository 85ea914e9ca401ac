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
 * Who asks for how much. All of it on the thread of the watchman, where everything is up to date:
 * see {@link Watchman#ask}.
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
   * @param isRecording whether it is shown all decisions: then callers are counted, and what they
   *     ask for is recorded
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

  /** In each round. */
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

  /** Once a second. */
  void pace(long second) {
    long needed = (seen + MOST_A_SECOND - 1) / MOST_A_SECOND;
    int halvings = needed <= 1 ? 0 : 64 - Long.numberOfLeadingZeros(needed - 1);
    // Back by one at a time, since there may be more again in a moment.
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

  /** How many places a ranking has now. */
  public int places() {
    return rankings.places();
  }

  /** How many callers a rule has. */
  public Census census(String rule) {
    RuleWatch watch = ledger.labelled(rule);
    return watch == null ? Census.NOBODY : watch.census(nowMillis);
  }

  /** The caller of a rule that is called {@code id}; empty if it is not known, or no more. */
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
   * Under which limits of a rule a caller was seen, the last first: ids of overrides, empty for the
   * rule's own limits. None if it is not known.
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
   * The caller of a rule whose key this is, whether it was ever seen or not; from any thread.
   *
   * @param label the rule's
   */
  public Key named(Rule rule, String label, String key) {
    return ledger.key(rule, label, key);
  }

  /** What a caller asked for; empty if it is not recorded. */
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
   * What was asked of a rule: nothing if that was not recorded, but it will be from now on.
   *
   * @param override of which of its overrides, by {@link io.weir.rules.Variant#id}; empty: where
   *     its own limits hold
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

  /** One decision in how many is noted now. */
  public int sampling() {
    return sightings.oneIn();
  }

  /** One decision in how many was noted in a window, at the thinnest. */
  public int thinnest(Window window) {
    return thinning.oneIn(window.start(nowMillis));
  }

  /** One decision in how many was noted in a range, at the thinnest. */
  public int thinnest(Grain range) {
    return thinning.oneIn(range.startMillis(Math.floorDiv(nowMillis, 1000)));
  }

  /** One decision in how many was noted in the time that a {@link Census} is of. */
  public int thinnestOfCensus() {
    return thinning.oneIn(Distinct.startMillis(nowMillis));
  }

  /** How many decisions were missed, because there were too many at once. */
  public long missed() {
    return sightings.missed();
  }

  /** What all of it takes up, about. */
  public long bytes() {
    return sightings.bytes()
        + rankings.bytes()
        + panels.bytes()
        + ledger.all().stream().mapToLong(RuleWatch::bytes).sum();
  }
}
