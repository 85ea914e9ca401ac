package io.weir.bench.speed;

import io.weir.bench.contender.Contender;
import io.weir.bench.contender.Role;
import io.weir.bench.report.Spread;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.DoubleBinaryOperator;

/** Nanoseconds per check by case, contender and round. */
final class Samples {
  private final Map<String, Map<Contender, Map<Integer, Double>>> samples = new HashMap<>();

  void add(String name, Contender contender, int round, double nanos) {
    samples
        .computeIfAbsent(name, n -> new EnumMap<>(Contender.class))
        .computeIfAbsent(contender, c -> new TreeMap<>())
        .put(round, nanos);
  }

  /** The contenders measured in a case, in their order. */
  List<Contender> contenders(String name) {
    return new ArrayList<>(samples.getOrDefault(name, Map.of()).keySet());
  }

  Optional<Spread> nanos(String name, Contender contender) {
    return spread(rounds(name, contender).values().stream().mapToDouble(n -> n).toArray());
  }

  /** One contender's time divided by another's in each round that has both. */
  Optional<Spread> ratio(String name, Contender above, Contender below) {
    return combined(name, above, name, below, (a, b) -> a / b);
  }

  /** Two cases of one contender, round by round. */
  Optional<Spread> combined(
      String name,
      Contender contender,
      String otherName,
      Contender other,
      DoubleBinaryOperator operator) {
    Map<Integer, Double> first = rounds(name, contender);
    Map<Integer, Double> second = rounds(otherName, other);
    return spread(
        first.keySet().stream()
            .filter(second::containsKey)
            .mapToDouble(round -> operator.applyAsDouble(first.get(round), second.get(round)))
            .toArray());
  }

  /** The peer with the least median time. */
  Optional<Contender> fastestPeer(String name) {
    return contenders(name).stream()
        .filter(contender -> contender.role() == Role.PEER)
        .min(Comparator.comparingDouble(peer -> nanos(name, peer).orElseThrow().median()));
  }

  private Map<Integer, Double> rounds(String name, Contender contender) {
    return samples.getOrDefault(name, Map.of()).getOrDefault(contender, Map.of());
  }

  private static Optional<Spread> spread(double[] values) {
    return values.length == 0 ? Optional.empty() : Optional.of(Spread.of(values));
  }
}
