package io.weir.seeing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Ranks callers by refusals, would-be refusals and closeness to the limit, for each rule, over the
 * last minute and the last hour.
 *
 * <p>A table is created for its first caller and removed after an hour without callers. All tables
 * together have a fixed number of places: the more tables, the fewer places each. With up to 160
 * refusing rules each table has 128 places, with 10,000 it has two.
 */
final class Rankings {
  private static final Window[] WINDOWS = Window.values();
  private static final Kind[] KINDS = Kind.values();
  private static final int ALL_PLACES = 81_920;
  private static final int MOST_PLACES = 128;
  private static final int FEWEST_PLACES = 2;
  private static final int BYTES_OF_A_PLACE = 200;
  private static final long SWEEP_MILLIS = 300_000;

  private final Map<Window, Decay> decays = new EnumMap<>(Window.class);
  private final Map<RuleWatch, Tables> byRule = new HashMap<>();
  private int tables;
  private int places = MOST_PLACES;
  private long nextSweep;

  Rankings(long nowMillis) {
    for (Window window : WINDOWS) {
      decays.put(window, new Decay(window.millis(), nowMillis));
    }
    nextSweep = nowMillis + SWEEP_MILLIS;
  }

  /** Must run before the sightings since the last round are shown. */
  void moveTo(long nowMillis) {
    decays.forEach(
        (window, decay) -> {
          decay.moveTo(nowMillis);
          if (decay.isTooHeavy()) {
            double factor = decay.restart();
            byRule.values().stream().flatMap(t -> t.of(window)).forEach(t -> t.scale(factor));
          }
        });
    if (nowMillis >= nextSweep) {
      nextSweep = nowMillis + SWEEP_MILLIS;
      byRule.values().forEach(each -> tables -= each.sweep(nowMillis));
      byRule.values().removeIf(Tables::isEmpty);
      grow();
    }
  }

  void see(RuleWatch rule, Part part, String key, long hash, long what, long nowMillis) {
    Kind kind = kind(what);
    if (kind != null) {
      see(kind, rule, part, key, hash, what, nowMillis);
    }
  }

  private static @Nullable Kind kind(long what) {
    return switch (Sighting.outcome(what)) {
      case DENIED -> Kind.REFUSED;
      case SHADOW_DENIED -> Kind.WOULD_BE_REFUSED;
      default -> Sighting.isNear(what) ? Kind.NEAR : null;
    };
  }

  private void see(
      Kind kind, RuleWatch rule, Part part, String key, long hash, long what, long nowMillis) {
    Tables own = byRule.computeIfAbsent(rule, any -> new Tables());
    for (Window window : WINDOWS) {
      HeavyHitters table = own.table(kind, window);
      if (table == null) {
        table = new HeavyHitters(window, decay(window), placesForOneMore());
        own.put(kind, window, table);
      }
      int use = kind == Kind.NEAR ? Sighting.use(what) : 0;
      table.add(part, key, hash, Sighting.weight(what), use, nowMillis);
    }
  }

  private Decay decay(Window window) {
    return decays.getOrDefault(window, new Decay(window.millis(), 0));
  }

  private int placesForOneMore() {
    tables++;
    int fitting = fitting();
    if (fitting < places) {
      places = fitting;
      byRule.values().forEach(each -> each.all().forEach(table -> table.shrinkTo(fitting)));
    }
    return places;
  }

  /** Gives the room of removed rules to the others. */
  private void grow() {
    int fitting = fitting();
    if (fitting > places) {
      places = fitting;
      byRule.values().forEach(each -> each.all().forEach(table -> table.growTo(fitting)));
    }
  }

  /** A power of two, so that tables shrink a few times and not with each new table. */
  private int fitting() {
    int share = Integer.highestOneBit(Math.max(1, ALL_PLACES / Math.max(1, tables)));
    return Math.max(FEWEST_PLACES, Math.min(MOST_PLACES, share));
  }

  /** Removes the tables of a removed rule. */
  void forget(RuleWatch rule) {
    Tables gone = byRule.remove(rule);
    if (gone != null) {
      tables -= (int) gone.all().count();
      grow();
    }
  }

  /**
   * The first {@code most} callers: those seen most often, or nearest to the limit.
   *
   * @param only null: of all rules
   */
  List<Ranked> top(Kind kind, Window window, @Nullable RuleWatch only, int most, long nowMillis) {
    List<Found> all = new ArrayList<>();
    byRule.forEach(
        (rule, tables) -> {
          HeavyHitters table = tables.table(kind, window);
          if (table != null && (only == null || only == rule)) {
            for (Hitter each : table.seen(nowMillis)) {
              if (kind == Kind.NEAR && tables.hasRefused(each.hash(), window, nowMillis)) {
                continue;
              }
              all.add(
                  new Found(
                      rule, table, each, table.count(each, nowMillis), table.use(each, nowMillis)));
            }
          }
        });
    all.sort(
        Comparator.comparingInt(Found::use) // unknown for refused callers
            .thenComparingLong(Found::count)
            .reversed()
            .thenComparing(found -> found.rule.label())
            .thenComparing(found -> found.hitter.key()));
    return all.stream().limit(most).map(found -> found.ranked(kind, nowMillis)).toList();
  }

  /** A caller in a table. Its identity is computed only if it is shown. */
  private record Found(RuleWatch rule, HeavyHitters table, Hitter hitter, long count, int use) {
    Ranked ranked(Kind kind, long nowMillis) {
      return new Ranked(
          rule.label(),
          hitter.part().name(),
          rule.key(hitter.key()),
          count,
          table.atMost(hitter, nowMillis),
          hitter.last(),
          kind == Kind.NEAR ? use / 1000.0 : null);
    }
  }

  /** Shows the limits under which a key of a rule was seen, and when last. */
  void sightings(RuleWatch rule, String key, BiConsumer<Part, Long> viewer) {
    Tables own = byRule.get(rule);
    if (own != null) {
      own.all()
          .flatMap(table -> table.surest().stream())
          .filter(hitter -> hitter.key().equals(key))
          .forEach(hitter -> viewer.accept(hitter.part(), hitter.last()));
    }
  }

  /** The known keys of a rule. */
  Stream<String> keys(RuleWatch rule) {
    Tables own = byRule.get(rule);
    return own == null
        ? Stream.empty()
        : own.all().flatMap(table -> table.surest().stream()).map(Hitter::key);
  }

  /** How many places each table has now. */
  int places() {
    return places;
  }

  /** The approximate memory use of all tables. */
  long bytes() {
    return byRule.values().stream()
        .flatMap(Tables::all)
        .mapToLong(table -> 200 + (long) table.size() * BYTES_OF_A_PLACE)
        .sum();
  }

  /** The tables of one rule. */
  private static final class Tables {
    private final @Nullable HeavyHitters[] tables =
        new HeavyHitters[KINDS.length * WINDOWS.length]; // by kind, then by window

    @Nullable HeavyHitters table(Kind kind, Window window) {
      return tables[at(kind, window)];
    }

    void put(Kind kind, Window window, HeavyHitters table) {
      tables[at(kind, window)] = table;
    }

    private static int at(Kind kind, Window window) {
      return kind.ordinal() * WINDOWS.length + window.ordinal();
    }

    Stream<HeavyHitters> all() {
      return Arrays.stream(tables).filter(Objects::nonNull);
    }

    Stream<HeavyHitters> of(Window window) {
      return Arrays.stream(KINDS).map(kind -> table(kind, window)).filter(Objects::nonNull);
    }

    /** Whether a caller was refused in the window, or would have been. */
    boolean hasRefused(long hash, Window window, long nowMillis) {
      for (Kind kind : KINDS) {
        HeavyHitters table = kind == Kind.NEAR ? null : table(kind, window);
        if (table != null && table.hasSeen(hash, nowMillis)) {
          return true;
        }
      }
      return false;
    }

    /**
     * Removes both tables of a kind when the last hour's is empty; returns how many were removed.
     */
    int sweep(long nowMillis) {
      int before = (int) all().count();
      for (Kind kind : KINDS) {
        HeavyHitters hour = table(kind, Window.HOUR);
        if (hour == null || hour.seen(nowMillis).isEmpty()) {
          Arrays.fill(tables, at(kind, WINDOWS[0]), at(kind, WINDOWS[0]) + WINDOWS.length, null);
        }
      }
      return before - (int) all().count();
    }

    boolean isEmpty() {
      return all().findAny().isEmpty();
    }
  }
}
