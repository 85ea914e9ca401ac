package io.weir.bench.contender;

import io.weir.TimeSource;
import io.weir.bench.line.Choice;
import io.weir.memory.BorrowedHash;

/** All contenders. A measuring JVM loads only one of them. */
public enum Contender implements Choice {
  WEIR("weir", "Weir", Role.WEIR, (quota, keys) -> weir(Algorithm.TOKEN_BUCKET, quota)),
  WEIR_COARSE(
      "weir-coarse",
      "Weir, coarse clock",
      Role.WEIR,
      (quota, keys) -> new WeirGate(Algorithm.TOKEN_BUCKET.limit(quota), TimeSource.coarse())),
  WEIR_LEAKY(
      "weir-leaky-bucket",
      "Weir, leaky bucket",
      Role.WEIR,
      (quota, keys) -> weir(Algorithm.LEAKY_BUCKET, quota)),
  WEIR_FIXED(
      "weir-fixed-window",
      "Weir, fixed window",
      Role.WEIR,
      (quota, keys) -> weir(Algorithm.FIXED_WINDOW, quota)),
  WEIR_WINDOW(
      "weir-sliding-window",
      "Weir, sliding window",
      Role.WEIR,
      (quota, keys) -> weir(Algorithm.SLIDING_WINDOW, quota)),
  WEIR_EPOCHS(
      "weir-sliding-epochs",
      "Weir, 15 sliding epochs",
      Role.WEIR,
      (quota, keys) -> weir(Algorithm.SLIDING_EPOCHS, quota)),
  WEIR_LOG(
      "weir-sliding-log",
      "Weir, sliding log",
      Role.WEIR,
      (quota, keys) -> weir(Algorithm.SLIDING_LOG, quota)),

  FLOOR(
      "floor",
      "floor: CAS table",
      Role.FLOOR,
      (quota, keys) -> new CasTableGate(quota, keys, sipHash(), Clock.MONOTONIC)),
  FLOOR_FAST_HASH(
      "floor-fast-hash",
      "floor, fast unkeyed hash",
      Role.FLOOR,
      (quota, keys) -> new CasTableGate(quota, keys, KeyHash.FAST, Clock.MONOTONIC)),
  FLOOR_TICKING(
      "floor-ticking",
      "floor, ticking clock",
      Role.FLOOR,
      (quota, keys) -> new CasTableGate(quota, keys, sipHash(), Clock.ticking())),

  SYNCHRONIZED(
      "synchronized",
      "map of synchronized buckets",
      Role.PEER,
      (quota, keys) -> new SynchronizedGate(quota)),
  BUCKET4J("bucket4j", "Bucket4j + CHM", Role.PEER, (quota, keys) -> new Bucket4jGate(quota)),
  BUCKET4J_CAFFEINE(
      "bucket4j-caffeine",
      "Bucket4j + Caffeine",
      Role.PEER,
      (quota, keys) -> new Bucket4jCaffeineGate(quota)),
  GUAVA("guava", "Guava", Role.PEER, (quota, keys) -> new GuavaGate(quota)),
  RESILIENCE4J(
      "resilience4j", "Resilience4j", Role.PEER, (quota, keys) -> new Resilience4jGate(quota)),
  FAILSAFE("failsafe", "Failsafe", Role.PEER, (quota, keys) -> new FailsafeGate(quota)),
  DEQUE_LOG(
      "deque-log", "map of deques (log)", Role.PEER, (quota, keys) -> Algorithm.dequeLog(quota)),

  KEY_ONLY("key-only", "making the key only", Role.OVERHEAD, (quota, keys) -> new KeyOnlyGate());

  private final String id;
  private final String label;
  private final Role role;
  private final Opener opener;

  /*
   * The openers are lambdas with a body rather than constructor references: linking those would
   * load every contender's class into every JVM.
   */
  Contender(String id, String label, Role role, Opener opener) {
    this.id = id;
    this.label = label;
    this.role = role;
    this.opener = opener;
  }

  /** The contender with this command line name. */
  public static Contender of(String id) {
    return Choice.of(values(), "contender", id);
  }

  @Override
  public String id() {
    return id;
  }

  /** Its name in tables. */
  public String label() {
    return label;
  }

  /** Its role in the comparison. */
  public Role role() {
    return role;
  }

  /** A new instance, for about {@code keys} keys if it needs to know. */
  public Gate open(Quota quota, int keys) {
    return opener.open(quota, keys);
  }

  private static Gate weir(Algorithm algorithm, Quota quota) {
    return new WeirGate(algorithm.limit(quota), TimeSource.system());
  }

  private static KeyHash sipHash() {
    BorrowedHash hash = new BorrowedHash();
    return hash::of;
  }

  private interface Opener {
    Gate open(Quota quota, int keys);
  }
}
