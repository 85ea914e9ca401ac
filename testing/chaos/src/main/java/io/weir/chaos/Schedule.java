package io.weir.chaos;

import io.weir.Consistency;
import io.weir.chaos.audit.Contract;
import io.weir.chaos.audit.Contract.Algorithm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Limits and faults of one run, all derived from the seed.
 *
 * <p>Even seeds keep Redis's data and use patient Sentinels. Odd ones begin with a fault that may
 * lose data. Half of the odd ones have windows longer than the time until Redis is available again,
 * so that lost data still counts then. The other half have windows so short that they end during
 * the run. Leases are strict, except in every second schedule that keeps the data.
 */
record Schedule(
    long seed,
    Optional<TargetedScenario> targetedScenario,
    List<Contract> contracts,
    List<ScheduledFault> scheduledFaults) {
  /** Decorrelates neighbouring seeds. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private static final long WARM_UP = -1;

  /**
   * The same for the same arguments. Faults that are not possible are replaced; the rest stays as
   * it is where all are possible.
   */
  static Schedule of(
      long seed, List<Consistency> consistencies, boolean canBeCut, boolean hasClocks) {
    Random random = new Random(seed * SPREAD);
    Predicate<InjectedFault> isPossible =
        injectedFault -> injectedFault.isPossible(canBeCut, hasClocks);
    List<InjectedFault> all = InjectedFault.random();
    List<InjectedFault> keeping = all.stream().filter(InjectedFault::keepsData).toList();
    List<InjectedFault> losing =
        all.stream().filter(injectedFault -> !injectedFault.keepsData()).toList();
    boolean keeps = Math.floorMod(seed, 2) == 0;
    List<ScheduledFault> scheduledFaults = new ArrayList<>();
    scheduledFaults.add(step(keeps ? keeping : losing, isPossible, random));
    if (random.nextInt(3) > 0) {
      scheduledFaults.add(step(keeps ? keeping : withoutPauses(all), isPossible, random));
    }
    return new Schedule(
        seed, Optional.empty(), contracts(seed, consistencies), List.copyOf(scheduledFaults));
  }

  /** No faults for {@code length}. */
  static Schedule calm(List<Consistency> consistencies, Duration length) {
    return new Schedule(
        WARM_UP,
        Optional.empty(),
        contracts(0, consistencies),
        List.of(new ScheduledFault(InjectedFault.CALM, Duration.ZERO, length, 0)));
  }

  /** Impatient Sentinels would replace a primary that hangs for long. */
  private static List<InjectedFault> withoutPauses(List<InjectedFault> injectedFaults) {
    return injectedFaults.stream()
        .filter(injectedFault -> injectedFault != InjectedFault.PRIMARY_PAUSED)
        .toList();
  }

  private static List<Contract> contracts(long seed, List<Consistency> consistencies) {
    return consistencies.stream().map(it -> contract(seed, it)).toList();
  }

  /** Small limits are never leased, so leased contracts have larger ones. */
  private static Contract contract(long seed, Consistency consistency) {
    Random random = new Random((seed * 31 + consistency.ordinal() + 1) * SPREAD);
    Algorithm algorithm = random.nextInt(3) == 0 ? Algorithm.TOKEN_BUCKET : Algorithm.SLIDING_LOG;
    long permits = 5 + random.nextInt(16);
    long shortest = Math.floorMod(seed, 4) == 3 ? 5000 : 1000;
    Duration period = Duration.ofMillis(shortest + 250 * random.nextInt(5));
    boolean leased = consistency == Consistency.LEASED || consistency == Consistency.EVENTUAL;
    Contract contract =
        new Contract(
            "s" + seed + "-" + consistency,
            consistency,
            algorithm,
            leased ? permits * 8 : permits,
            period);
    return Math.floorMod(seed, 4) == 0 ? contract : contract.strictly();
  }

  private static ScheduledFault step(
      List<InjectedFault> injectedFaults, Predicate<InjectedFault> isPossible, Random random) {
    int drawn = random.nextInt(injectedFaults.size());
    return new ScheduledFault(
        firstFrom(drawn, injectedFaults, isPossible),
        Duration.ofMillis(300 + random.nextInt(900)),
        Duration.ofMillis(500 + random.nextInt(1700)),
        random.nextInt(1 << 20));
  }

  private static InjectedFault firstFrom(
      int index, List<InjectedFault> injectedFaults, Predicate<InjectedFault> isPossible) {
    List<InjectedFault> turned = new ArrayList<>(injectedFaults);
    Collections.rotate(turned, -index);
    return turned.stream().filter(isPossible).findFirst().orElseThrow();
  }

  /** This schedule without the steps whose faults are not possible. */
  Schedule where(Predicate<InjectedFault> isPossible) {
    List<ScheduledFault> those =
        scheduledFaults.stream()
            .filter(scheduledFault -> isPossible.test(scheduledFault.injectedFault()))
            .toList();
    return new Schedule(seed, targetedScenario, contracts, those);
  }

  /** Whether the assumptions of {@code exact} and {@code leased} about Redis hold. */
  boolean keepsData() {
    return scheduledFaults.stream()
        .allMatch(scheduledFault -> scheduledFault.injectedFault().keepsData());
  }

  /** Whether Sentinels replace a primary quickly; targeted attacks trigger that themselves. */
  boolean isHasty() {
    return targetedScenario.isEmpty() && !keepsData();
  }

  /** How many of {@code all} nodes receive requests; an attack may affect the others too. */
  int activeNodes(int all) {
    return targetedScenario.isPresent() && Math.floorMod(seed, 3) == 0 ? Math.min(2, all) : all;
  }

  /**
   * The number of users at a time. For a targeted attack, only as many as fit into a window, so
   * that each sends more requests.
   */
  int users() {
    return targetedScenario.isPresent()
        ? (int) (2 + contracts.get(0).period().toMillis() / 400)
        : 15;
  }

  /**
   * How long the run continues after the last step. Lost charges are spent again at once. A limiter
   * that detects a possible loss grants nothing for a window, and must still be observed when that
   * window ends.
   */
  Duration tail() {
    if (targetedScenario.isPresent()) {
      return aimedTail();
    }
    boolean isInDoubt =
        !keepsData()
            || scheduledFaults.stream()
                .anyMatch(scheduledFault -> scheduledFault.injectedFault().leavesDoubt());
    return Duration.ofMillis(isInDoubt ? 4000 : 1500);
  }

  /** Every fourth time it continues until the end of a window without grants. */
  private Duration aimedTail() {
    Duration window = contracts.get(0).period();
    return Math.floorMod(seed, 4) == 3
        ? window.plusMillis(window.toMillis() / 10).plusSeconds(2)
        : Duration.ofMillis(1500);
  }

  /** The beginning of the command that repeats it. */
  String replay() {
    return "./test --chaos"
        + targetedScenario.map(it -> " --kind " + it).orElse("")
        + " --seed "
        + seed;
  }

  /** Whether it is the warm-up, which has no seed. */
  boolean isWarmUp() {
    return seed == WARM_UP;
  }

  @Override
  public String toString() {
    return (isWarmUp()
            ? "warming up"
            : targetedScenario.map(it -> it + " ").orElse("") + "seed " + seed)
        + ": "
        + scheduledFaults.stream()
            .map(ScheduledFault::toString)
            .collect(Collectors.joining(", then "));
  }
}
