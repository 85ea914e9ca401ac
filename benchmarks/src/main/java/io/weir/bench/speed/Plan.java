package io.weir.bench.speed;

import io.weir.bench.contender.Contender;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The contenders of each load. */
final class Plan {
  private static final Set<Contender> HAND_TO_HAND =
      EnumSet.of(
          Contender.WEIR,
          Contender.WEIR_COARSE,
          Contender.FLOOR,
          Contender.FLOOR_FAST_HASH,
          Contender.FLOOR_TICKING,
          Contender.SYNCHRONIZED,
          Contender.BUCKET4J,
          Contender.BUCKET4J_CAFFEINE,
          Contender.GUAVA,
          Contender.RESILIENCE4J,
          Contender.FAILSAFE);

  /** Weir's algorithms, and a typical hand-written log. */
  static final Set<Contender> ALGORITHMS =
      EnumSet.of(
          Contender.WEIR,
          Contender.WEIR_LEAKY,
          Contender.WEIR_FIXED,
          Contender.WEIR_WINDOW,
          Contender.WEIR_EPOCHS,
          Contender.WEIR_LOG,
          Contender.DEQUE_LOG);

  private final Map<Load, Map<Contender, Set<String>>> trials = new EnumMap<>(Load.class);

  /** One JVM: a contender under a load, and the cases that it measures. */
  record Trial(Load load, Contender contender, List<String> methods) {}

  static Plan of(Set<Suite> suites, boolean quick) {
    Plan plan = new Plan();
    if (suites.contains(Suite.HOT)) {
      plan.add(Load.HOT, quick ? quickHot() : HAND_TO_HAND);
    }
    if (suites.contains(Suite.KEYS)) {
      if (quick) {
        plan.add(Load.KEYS_100K, EnumSet.of(Contender.WEIR, Contender.FLOOR));
        plan.add(
            Load.KEYS_1M,
            EnumSet.of(
                Contender.WEIR, Contender.FLOOR, Contender.SYNCHRONIZED, Contender.BUCKET4J));
      } else {
        Set<Contender> all = EnumSet.copyOf(HAND_TO_HAND);
        all.add(Contender.DEQUE_LOG);
        all.add(Contender.KEY_ONLY);
        plan.add(Load.KEYS_10K, all);
        plan.add(Load.KEYS_100K, all);
        plan.add(Load.KEYS_1M, all);
        plan.add(Load.KEYS_10M, ofTenMillion());
      }
    }
    if (suites.contains(Suite.ALGORITHMS)) {
      for (Contender contender : ALGORITHMS) {
        plan.add(Load.HOT, contender, List.of("allow1", "deny1"));
        plan.add(Load.KEYS_100K, contender, List.of("uniform"));
      }
    }
    return plan;
  }

  private static Set<Contender> quickHot() {
    return EnumSet.of(
        Contender.WEIR,
        Contender.WEIR_COARSE,
        Contender.FLOOR,
        Contender.SYNCHRONIZED,
        Contender.BUCKET4J,
        Contender.GUAVA,
        Contender.FAILSAFE);
  }

  /** The other peers would need many gigabytes. */
  private static Set<Contender> ofTenMillion() {
    return EnumSet.of(
        Contender.WEIR,
        Contender.WEIR_COARSE,
        Contender.FLOOR,
        Contender.FLOOR_FAST_HASH,
        Contender.FLOOR_TICKING,
        Contender.SYNCHRONIZED,
        Contender.KEY_ONLY);
  }

  private void add(Load load, Set<Contender> contenders) {
    contenders.forEach(contender -> add(load, contender, load.methods()));
  }

  private void add(Load load, Contender contender, List<String> methods) {
    trials
        .computeIfAbsent(load, l -> new EnumMap<>(Contender.class))
        .computeIfAbsent(contender, c -> new TreeSet<>())
        .addAll(methods);
  }

  void keepOnly(Set<Contender> contenders, Set<Load> loads) {
    if (!loads.isEmpty()) {
      trials.keySet().retainAll(loads);
    }
    if (!contenders.isEmpty()) {
      trials.values().forEach(load -> load.keySet().retainAll(contenders));
    }
  }

  Set<Load> loads() {
    return trials.keySet();
  }

  List<Trial> trials(Load load) {
    List<Trial> list = new ArrayList<>();
    trials
        .getOrDefault(load, Map.of())
        .forEach(
            (contender, methods) -> list.add(new Trial(load, contender, List.copyOf(methods))));
    return list;
  }
}
