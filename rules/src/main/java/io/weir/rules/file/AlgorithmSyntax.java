package io.weir.rules.file;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The algorithms by name in rule files, and the parameters of each. */
enum AlgorithmSyntax {
  TOKEN_BUCKET("burst"),
  LEAKY_BUCKET("queue"),
  FIXED_WINDOW("zone"),
  SLIDING_LOG("count_rejected"),
  SLIDING_WINDOW,
  SLIDING_EPOCHS("epochs", "count_rejected");

  /** Not supported yet. */
  static final String CONCURRENCY = "concurrency";

  private final Set<String> parameters;

  AlgorithmSyntax(String... parameters) {
    this.parameters = Set.of(parameters);
  }

  boolean has(String parameter) {
    return parameters.contains(parameter);
  }

  /** The algorithm with this name; null if there is none. */
  static @Nullable AlgorithmSyntax named(String name) {
    return Arrays.stream(values())
        .filter(algorithmSyntax -> algorithmSyntax.toString().equals(name))
        .findFirst()
        .orElse(null);
  }

  static List<String> names() {
    return Arrays.stream(values()).map(AlgorithmSyntax::toString).toList();
  }

  /** The names of the algorithms with {@code parameter}: {@code sliding-log and sliding-epochs}. */
  static String having(String parameter) {
    return String.join(
        " and ",
        Arrays.stream(values())
            .filter(algorithmSyntax -> algorithmSyntax.has(parameter))
            .map(AlgorithmSyntax::toString)
            .toList());
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
