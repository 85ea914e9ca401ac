package io.weir.chaos;

import io.weir.Consistency;
import io.weir.OnFailure;
import io.weir.chaos.audit.Contract;
import io.weir.chaos.audit.Contract.Algorithm;
import io.weir.chaos.audit.Contract.Size;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/**
 * A targeted attack that random faults hardly ever produce. Each one once broke a promise. The seed
 * varies limits, lengths, the number of nodes in use and the affected server.
 */
enum TargetedScenario {
  MIXED_LIMITS(InjectedFault.LIMITS_MIXED),
  FORGED_ACKNOWLEDGEMENT(InjectedFault.ACKNOWLEDGEMENT_FORGED),
  EVICTION(InjectedFault.EVICTION_LEFT_ON),
  YOUNG_PROCESS(InjectedFault.YOUNG_PROCESS_LOOKS_OLD),
  CLOCK_FORTH_AND_BACK(InjectedFault.REDIS_CLOCK_FORTH_AND_BACK),
  NEWCOMER(InjectedFault.NEWCOMER_AT_A_STEP),
  OTHER_HISTORY(InjectedFault.SAME_PROCESS_OTHER_HISTORY),
  OUTAGE_START(InjectedFault.NODE_STARTED_IN_AN_OUTAGE),
  SKEWED_CLOCK(InjectedFault.DATA_LOST_UNDER_SKEWED_CLOCKS);

  private static final long SPREAD = 0x9E3779B97F4A7C15L;
  private static final double[] RATIOS = {1.5, 4, 100};
  private static final List<InjectedFault> OF_NODES =
      List.of(
          InjectedFault.NODE_KILLED,
          InjectedFault.NODE_STOPPED,
          InjectedFault.NODE_STOPPED_BRIEFLY,
          InjectedFault.NODE_REPLACED);

  private final InjectedFault injectedFault;

  TargetedScenario(InjectedFault injectedFault) {
    this.injectedFault = injectedFault;
  }

  /** The attack for {@code seed}: all in turn, from 1 on. */
  static TargetedScenario turn(long seed) {
    return values()[Math.floorMod(seed - 1, values().length)];
  }

  /** By the name that {@link #toString} gives. */
  static Optional<TargetedScenario> named(String name) {
    return Stream.of(values())
        .filter(targetedScenario -> targetedScenario.toString().equals(name))
        .findFirst();
  }

  /** Whether it makes Redis forget: then {@code exact} is over its limits where it has hit. */
  boolean losesData() {
    return !injectedFault.keepsData();
  }

  boolean isPossible(boolean canBeCut, boolean hasClocks) {
    return injectedFault.isPossible(canBeCut, hasClocks);
  }

  /** The same for the same seed. */
  Schedule schedule(long seed) {
    Random random = new Random((seed * 31 + ordinal()) * SPREAD);
    List<ScheduledFault> scheduledFaults = new ArrayList<>();
    scheduledFaults.add(step(injectedFault, random));
    if (this == MIXED_LIMITS) {
      switch (random.nextInt(3)) {
        case 0 -> scheduledFaults.add(step(OF_NODES.get(random.nextInt(OF_NODES.size())), random));
        case 1 -> scheduledFaults.add(farStep(InjectedFault.REDIS_CLOCK_PUT_BACK, random));
        default -> {} // limits differ, and nothing else happens
      }
    }
    return new Schedule(
        seed, Optional.of(this), contracts(seed, random), List.copyOf(scheduledFaults));
  }

  private static ScheduledFault step(InjectedFault injectedFault, Random random) {
    return new ScheduledFault(
        injectedFault,
        Duration.ofMillis(500 + random.nextInt(500)),
        Duration.ofMillis(600 + random.nextInt(700)),
        random.nextInt(1 << 20));
  }

  /** Further than a reservation reaches: what was spent is taken for the relic of another time. */
  private static ScheduledFault farStep(InjectedFault injectedFault, Random random) {
    ScheduledFault near = step(injectedFault, random);
    return new ScheduledFault(
        injectedFault, near.after(), near.length().plusSeconds(6), near.which());
  }

  private List<Contract> contracts(long seed, Random random) {
    return switch (this) {
      case MIXED_LIMITS -> mixed(seed, random);
      case OUTAGE_START ->
          List.of(
              contract(seed, Consistency.EXACT, random).with(OnFailure.LOCAL),
              contract(seed, Consistency.STRICT, random));
      default ->
          Stream.of(Consistency.EXACT, Consistency.STRICT, Consistency.LEASED)
              .map(consistency -> contract(seed, consistency, random))
              .toList();
    };
  }

  private Contract contract(long seed, Consistency consistency, Random random) {
    Algorithm algorithm = random.nextInt(4) == 0 ? Algorithm.TOKEN_BUCKET : Algorithm.SLIDING_LOG;
    long permits = 8 + random.nextInt(13);
    boolean isLarge = consistency == Consistency.LEASED || this == OUTAGE_START;
    return new Contract(
            name(seed, consistency),
            consistency,
            algorithm,
            isLarge ? permits * 3 : permits,
            period(random))
        .strictly();
  }

  /** Long enough that lost data still counts when Redis is available again. */
  private Duration period(Random random) {
    int shortest =
        switch (this) {
          case FORGED_ACKNOWLEDGEMENT -> 6000;
          case YOUNG_PROCESS, OTHER_HISTORY -> 4500;
          case NEWCOMER -> 3000;
          default -> 2000;
        };
    return Duration.ofMillis(shortest + 250 * random.nextInt(4));
  }

  private String name(long seed, Consistency consistency) {
    return "a" + seed + "-" + ordinal() + "-" + consistency;
  }

  /** Leaky buckets are for {@code exact} only. */
  private List<Contract> mixed(long seed, Random random) {
    return Stream.of(
            Consistency.EXACT, Consistency.STRICT, Consistency.LEASED, Consistency.EVENTUAL)
        .map(
            consistency -> {
              int kinds = Algorithm.values().length - (consistency == Consistency.EXACT ? 0 : 1);
              // Combines every algorithm with every consistency in turn.
              long turn = seed / values().length + consistency.ordinal();
              Algorithm algorithm = Algorithm.values()[(int) Math.floorMod(turn, kinds)];
              Contract contract =
                  new Contract(
                      name(seed, consistency),
                      consistency,
                      consistency == Consistency.LEASED ? OnFailure.ERROR : OnFailure.DENY,
                      algorithm,
                      sizes(algorithm, random),
                      Duration.ofMillis(2000 + 500 * random.nextInt(3)));
              return random.nextBoolean() ? contract.strictly() : contract;
            })
        .toList();
  }

  /**
   * Different rates, different bursts, or both; a burst flows in within ten periods at any of the
   * rates.
   */
  private static List<Size> sizes(Algorithm algorithm, Random random) {
    double ratio = RATIOS[random.nextInt(RATIOS.length)];
    long large = ratio == 100 ? 200 : 20 + 4 * random.nextInt(6);
    long small = Math.max(2, (long) (large / ratio));
    int what = algorithm.hasBurst() ? random.nextInt(3) : 0;
    long maxBurst = 10 * small - (algorithm == Algorithm.LEAKY_BUCKET ? 1 : 0); // one more leaves
    Size largest = what == 1 ? new Size(large, Math.min(large, maxBurst)) : new Size(large);
    Size smallest =
        switch (what) {
          case 0 -> new Size(small);
          case 1 -> new Size(small, largest.burst());
          default -> new Size(large, small);
        };
    return random.nextBoolean() ? List.of(largest, smallest) : List.of(smallest, largest);
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
