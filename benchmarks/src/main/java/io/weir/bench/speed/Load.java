package io.weir.bench.speed;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** A kind of traffic, with the cases that one JVM measures in a row. */
public enum Load {
  HOT("hot", 1, "1g", HotKey.class, List.of("allow1", "deny1", "allow2", "deny2")),
  KEYS_10K("10k", 10_000, "1g"),
  KEYS_100K("100k", 100_000, "1g"),
  KEYS_1M("1m", 1_000_000, "3g"),
  KEYS_10M("10m", 10_000_000, "6g");

  private final String id;
  private final int keys;
  private final String heap;
  private final Class<?> benchmark;
  private final List<String> methods;

  Load(String id, int keys, String heap) {
    this(id, keys, heap, ManyKeys.class, List.of("uniform", "zipf"));
  }

  Load(String id, int keys, String heap, Class<?> benchmark, List<String> methods) {
    this.id = id;
    this.keys = keys;
    this.heap = heap;
    this.benchmark = benchmark;
    this.methods = methods;
  }

  /** The load with this command line name. */
  public static Load of(String id) {
    return Arrays.stream(values())
        .filter(load -> load.id.equals(id))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("unknown load '" + id + "'; known are: " + ids()));
  }

  private static String ids() {
    return Arrays.stream(values()).map(Load::id).collect(Collectors.joining(", "));
  }

  String id() {
    return id;
  }

  int keys() {
    return keys;
  }

  /** A fixed, pre-touched heap, the same for all, so that no page fault affects a contender. */
  List<String> jvmFlags() {
    return List.of("-Xms" + heap, "-Xmx" + heap, "-XX:+AlwaysPreTouch", "-XX:+UseG1GC");
  }

  Class<?> benchmark() {
    return benchmark;
  }

  List<String> methods() {
    return methods;
  }

  /** The name of one of its cases. */
  String caseOf(String method) {
    return id + "/" + method;
  }
}
