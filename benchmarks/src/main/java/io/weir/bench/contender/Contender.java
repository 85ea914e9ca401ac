package io.weir.bench.contender;

import io.weir.TimeSource;
import io.weir.bench.cli.Choice;
import io.weir.memory.BorrowedHash;

/** All contenders. A measuring JVM loads only one of them. */
public enum Contender implements Choice {
  WEIR("weir", "Weir", Role.WEIR, (caseLimit, keys) -> weir(Algorithm.TOKEN_BUCKET, caseLimit)),
  WEIR_COARSE(
      "weir-coarse",
      "Weir, coarse clock",
      Role.WEIR,
      (caseLimit, keys) ->
          new WeirLimiter(Algorithm.TOKEN_BUCKET.limit(caseLimit), TimeSource.coarse())),
  WEIR_LEAKY(
      "weir-leaky-bucket",
      "Weir, leaky bucket",
      Role.WEIR,
      (caseLimit, keys) -> weir(Algorithm.LEAKY_BUCKET, caseLimit)),
  WEIR_FIXED(
      "weir-fixed-window",
      "Weir, fixed window",
      Role.WEIR,
      (caseLimit, keys) -> weir(Algorithm.FIXED_WINDOW, caseLimit)),
  WEIR_WINDOW(
      "weir-sliding-window",
      "Weir, sliding window",
      Role.WEIR,
      (caseLimit, keys) -> weir(Algorithm.SLIDING_WINDOW, caseLimit)),
  WEIR_EPOCHS(
      "weir-sliding-epochs",
      "Weir, 15 sliding epochs",
      Role.WEIR,
      (caseLimit, keys) -> weir(Algorithm.SLIDING_EPOCHS, caseLimit)),
  WEIR_LOG(
      "weir-sliding-log",
      "Weir, sliding log",
      Role.WEIR,
      (caseLimit, keys) -> weir(Algorithm.SLIDING_LOG, caseLimit)),

  FLOOR(
      "floor",
      "floor: CAS table",
      Role.FLOOR,
      (caseLimit, keys) -> new CasTableLimiter(caseLimit, keys, sipHash(), Clock.MONOTONIC)),
  FLOOR_FAST_HASH(
      "floor-fast-hash",
      "floor, fast unkeyed hash",
      Role.FLOOR,
      (caseLimit, keys) -> new CasTableLimiter(caseLimit, keys, KeyHash.FAST, Clock.MONOTONIC)),
  FLOOR_TICKING(
      "floor-ticking",
      "floor, ticking clock",
      Role.FLOOR,
      (caseLimit, keys) -> new CasTableLimiter(caseLimit, keys, sipHash(), Clock.ticking())),

  SYNCHRONIZED(
      "synchronized",
      "map of synchronized buckets",
      Role.PEER,
      (caseLimit, keys) -> new SynchronizedLimiter(caseLimit)),
  BUCKET4J(
      "bucket4j", "Bucket4j + CHM", Role.PEER, (caseLimit, keys) -> new Bucket4jLimiter(caseLimit)),
  BUCKET4J_CAFFEINE(
      "bucket4j-caffeine",
      "Bucket4j + Caffeine",
      Role.PEER,
      (caseLimit, keys) -> new Bucket4jCaffeineLimiter(caseLimit)),
  GUAVA("guava", "Guava", Role.PEER, (caseLimit, keys) -> new GuavaLimiter(caseLimit)),
  RESILIENCE4J(
      "resilience4j",
      "Resilience4j",
      Role.PEER,
      (caseLimit, keys) -> new Resilience4jLimiter(caseLimit)),
  FAILSAFE("failsafe", "Failsafe", Role.PEER, (caseLimit, keys) -> new FailsafeLimiter(caseLimit)),
  DEQUE_LOG(
      "deque-log",
      "map of deques (log)",
      Role.PEER,
      (caseLimit, keys) -> Algorithm.dequeLog(caseLimit)),

  KEY_ONLY(
      "key-only", "making the key only", Role.OVERHEAD, (caseLimit, keys) -> new KeyOnlyLimiter());

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
  public KeyedLimiter open(CaseLimit caseLimit, int keys) {
    return opener.open(caseLimit, keys);
  }

  private static KeyedLimiter weir(Algorithm algorithm, CaseLimit caseLimit) {
    return new WeirLimiter(algorithm.limit(caseLimit), TimeSource.system());
  }

  private static KeyHash sipHash() {
    BorrowedHash hash = new BorrowedHash();
    return hash::of;
  }

  private interface Opener {
    KeyedLimiter open(CaseLimit caseLimit, int keys);
  }
}
