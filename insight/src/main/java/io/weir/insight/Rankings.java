package io.weir.insight;

import io.weir.insight.event.DecisionEvent;
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
 * refusing rules each table has 128 places, with 10,000 it has two. Below 1 GiB of heap there are
 * fewer places, in proportion.
 */
final class Rankings {
  private static final RankingWindow[] WINDOWS = RankingWindow.values();
  private static final RankingKind[] KINDS = RankingKind.values();
  private static final int MAX_ALL_PLACES = 81_920;
  private static final int SHARE_OF_HEAP = 64;
  private static final int MAX_PLACES = 128;
  private static final int FEWEST_PLACES = 2;
  private static final int BYTES_OF_A_PLACE = 200;
  private static final long SWEEP_MILLIS = 300_000;

  private final Map<RankingWindow, Decay> decays = new EnumMap<>(RankingWindow.class);
  private final Map<RuleCallers, Tables> byRule = new HashMap<>();
  private final int allPlaces;
  private int tables;
  private int places = MAX_PLACES;
  private long nextSweep;

  Rankings(long nowMillis) {
    this(nowMillis, allPlaces(Runtime.getRuntime().maxMemory()));
  }

  Rankings(long nowMillis, int allPlaces) {
    this.allPlaces = allPlaces;
    for (RankingWindow rankingWindow : WINDOWS) {
      decays.put(rankingWindow, new Decay(rankingWindow.millis(), nowMillis));
    }
    nextSweep = nowMillis + SWEEP_MILLIS;
  }

  /** How many places of all tables a heap of so many bytes has room for. */
  static int allPlaces(long heap) {
    return (int) Math.min(MAX_ALL_PLACES, heap / SHARE_OF_HEAP / BYTES_OF_A_PLACE);
  }

  /** Must run before the decisions since the last round are added. */
  void moveTo(long nowMillis) {
    decays.forEach(
        (rankingWindow, decay) -> {
          decay.moveTo(nowMillis);
          if (decay.isTooHeavy()) {
            double factor = decay.restart();
            byRule.values().stream()
                .flatMap(t -> t.of(rankingWindow))
                .forEach(t -> t.scale(factor));
          }
        });
    if (nowMillis >= nextSweep) {
      nextSweep = nowMillis + SWEEP_MILLIS;
      byRule.values().forEach(each -> tables -= each.sweep(nowMillis));
      byRule.values().removeIf(Tables::isEmpty);
      grow();
    }
  }

  void see(RuleCallers rule, RulePart rulePart, String key, long hash, long what, long nowMillis) {
    RankingKind rankingKind = kind(what);
    if (rankingKind != null) {
      see(rankingKind, rule, rulePart, key, hash, what, nowMillis);
    }
  }

  private static @Nullable RankingKind kind(long what) {
    return switch (DecisionEvent.outcome(what)) {
      case DENIED -> RankingKind.REFUSED;
      case SHADOW_DENIED -> RankingKind.WOULD_BE_REFUSED;
      default -> DecisionEvent.isNear(what) ? RankingKind.NEAR : null;
    };
  }

  private void see(
      RankingKind rankingKind,
      RuleCallers rule,
      RulePart rulePart,
      String key,
      long hash,
      long what,
      long nowMillis) {
    Tables own = byRule.computeIfAbsent(rule, any -> new Tables());
    for (RankingWindow rankingWindow : WINDOWS) {
      HeavyHitters table = own.table(rankingKind, rankingWindow);
      if (table == null) {
        table = new HeavyHitters(rankingWindow, decay(rankingWindow), placesForOneMore());
        own.put(rankingKind, rankingWindow, table);
      }
      int use = rankingKind == RankingKind.NEAR ? DecisionEvent.use(what) : 0;
      table.add(rulePart, key, hash, DecisionEvent.weight(what), use, nowMillis);
    }
  }

  private Decay decay(RankingWindow rankingWindow) {
    return decays.getOrDefault(rankingWindow, new Decay(rankingWindow.millis(), 0));
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
    int share = Integer.highestOneBit(Math.max(1, allPlaces / Math.max(1, tables)));
    return Math.max(FEWEST_PLACES, Math.min(MAX_PLACES, share));
  }

  /** Removes the tables of a removed rule. */
  void forget(RuleCallers rule) {
    Tables removed = byRule.remove(rule);
    if (removed != null) {
      tables -= (int) removed.all().count();
      grow();
    }
  }

  /**
   * The first {@code maxCallers} callers: those seen most often, or nearest to the limit.
   *
   * @param only null: of all rules
   */
  List<RankedCaller> top(
      RankingKind rankingKind,
      RankingWindow rankingWindow,
      @Nullable RuleCallers only,
      int maxCallers,
      long nowMillis) {
    List<Found> all = new ArrayList<>();
    byRule.forEach(
        (rule, tables) -> {
          HeavyHitters table = tables.table(rankingKind, rankingWindow);
          if (table != null && (only == null || only == rule)) {
            for (Hitter each : table.seen(nowMillis)) {
              if (rankingKind == RankingKind.NEAR
                  && tables.hasRefused(each.hash(), rankingWindow, nowMillis)) {
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
    return all.stream()
        .limit(maxCallers)
        .map(found -> found.ranked(rankingKind, nowMillis))
        .toList();
  }

  /** A caller in a table. Its identity is computed only if it is shown. */
  private record Found(RuleCallers rule, HeavyHitters table, Hitter hitter, long count, int use) {
    RankedCaller ranked(RankingKind rankingKind, long nowMillis) {
      return new RankedCaller(
          rule.label(),
          hitter.rulePart().name(),
          rule.key(hitter.key()),
          count,
          table.atMost(hitter, nowMillis),
          hitter.last(),
          rankingKind == RankingKind.NEAR ? use / 1000.0 : null);
    }
  }

  /** Shows the limits under which a key of a rule was seen, and when last. */
  void lastSeen(RuleCallers rule, String key, BiConsumer<RulePart, Long> viewer) {
    Tables own = byRule.get(rule);
    if (own != null) {
      own.all()
          .flatMap(table -> table.surest().stream())
          .filter(hitter -> hitter.key().equals(key))
          .forEach(hitter -> viewer.accept(hitter.rulePart(), hitter.last()));
    }
  }

  /** The known keys of a rule. */
  Stream<String> keys(RuleCallers rule) {
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

    @Nullable HeavyHitters table(RankingKind rankingKind, RankingWindow rankingWindow) {
      return tables[at(rankingKind, rankingWindow)];
    }

    void put(RankingKind rankingKind, RankingWindow rankingWindow, HeavyHitters table) {
      tables[at(rankingKind, rankingWindow)] = table;
    }

    private static int at(RankingKind rankingKind, RankingWindow rankingWindow) {
      return rankingKind.ordinal() * WINDOWS.length + rankingWindow.ordinal();
    }

    Stream<HeavyHitters> all() {
      return Arrays.stream(tables).filter(Objects::nonNull);
    }

    Stream<HeavyHitters> of(RankingWindow rankingWindow) {
      return Arrays.stream(KINDS)
          .map(rankingKind -> table(rankingKind, rankingWindow))
          .filter(Objects::nonNull);
    }

    /** Whether a caller was refused in the window, or would have been. */
    boolean hasRefused(long hash, RankingWindow rankingWindow, long nowMillis) {
      for (RankingKind rankingKind : KINDS) {
        HeavyHitters table =
            rankingKind == RankingKind.NEAR ? null : table(rankingKind, rankingWindow);
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
      for (RankingKind rankingKind : KINDS) {
        HeavyHitters hour = table(rankingKind, RankingWindow.HOUR);
        if (hour == null || hour.seen(nowMillis).isEmpty()) {
          Arrays.fill(
              tables,
              at(rankingKind, WINDOWS[0]),
              at(rankingKind, WINDOWS[0]) + WINDOWS.length,
              null);
        }
      }
      return before - (int) all().count();
    }

    boolean isEmpty() {
      return all().findAny().isEmpty();
    }
  }
}
