package io.weir.redis;

import static io.weir.redis.ScriptsTest.T;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.rig.RespSocket;
import io.weir.rig.SharedRedis;
import io.weir.tck.AlgorithmBounds;
import io.weir.tck.MixedLimits;
import io.weir.tck.model.Fraction;
import io.weir.tck.model.ObservedDecision;
import io.weir.tck.model.ReferenceLimiter;
import io.weir.tck.model.ReferenceLimiter.Takeover;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Nodes of the previous release beside nodes of this one, on the same buckets, as in a rolling
 * upgrade. With equal limits both decide and write the same. With different limits they grant no
 * more than nodes of the previous release alone.
 */
@Tag("slow")
class PreviousReleaseTest {
  private static final long MICROS = T * 1000;
  private static final int STEPS = 120;
  private static final int NEW_FIELDS = 27; // in bytes, see gcra.lua

  private static RespSocket redis;
  private static int keys;

  @BeforeAll
  static void open() {
    redis = SharedRedis.empty().connect();
  }

  @AfterAll
  static void close() {
    redis.close();
  }

  private static String freshKey() {
    return "key-" + keys++;
  }

  private static ScriptPlan plan(Limit limit) {
    return ScriptPlan.of("test", "upgrade", List.of(limit));
  }

  private static byte[] value(byte[] name) {
    return (byte[]) redis.call("GET".getBytes(StandardCharsets.US_ASCII), name);
  }

  /** A node of either release. */
  private record Node(ScriptPlan scriptPlan, boolean isPrevious) {
    long[] send(String key, ScriptMessage scriptMessage) {
      ScriptMessage sent =
          isPrevious ? PreviousScripts.asSent(scriptPlan, scriptMessage) : scriptMessage;
      return ScriptPlanStore.send(redis, scriptPlan.keys(key), sent);
    }

    TakeReply check(String key, long cost, long micros) {
      return scriptPlan.outcome(cost, send(key, scriptPlan.take(cost, 1, micros)));
    }

    Decision peek(String key, long cost, long micros) {
      return scriptPlan.outcome(cost, send(key, scriptPlan.peek(cost, micros))).decision(0);
    }

    TakeReply reserve(String key, long cost, Duration maxWait, long micros) {
      return scriptPlan.outcome(
          cost, send(key, scriptPlan.reserve(cost, maxWait.toNanos(), micros)));
    }
  }

  /** All of them take two minutes. */
  List<MixedLimits> mixedLimits() {
    return seeds() > 1 ? MixedLimits.all() : MixedLimits.fortyAndTen();
  }

  int seeds() {
    return Math.max(1, Integer.getInteger("weir.tck.runs", 1));
  }

  @TestFactory
  Stream<DynamicTest> withEqualLimitsBothDecideAndWriteTheSame() {
    return Stream.concat(
            ScriptsTest.oneOfEach(), mixedLimits().stream().flatMap(m -> m.limits().stream()))
        .distinct()
        .map(
            limit ->
                DynamicTest.dynamicTest(
                    limit.toString(),
                    () -> {
                      for (long seed = 0; seed < seeds(); seed++) {
                        new EqualLimits(limit, seed).run();
                      }
                    }));
  }

  /**
   * The same requests on three keys: one checked by both releases in turns, one by the previous one
   * alone and one by the present one alone.
   */
  private static final class EqualLimits {
    private final Limit limit;
    private final SplittableRandom random;
    private final long period;
    private final List<Node> releases;
    private final List<String> worlds = List.of(freshKey(), freshKey(), freshKey());
    private final ReferenceLimiter model;
    private final List<AlgorithmBounds.Grant> grants = new ArrayList<>();
    private final List<Charge> charges = new ArrayList<>();
    private final List<String> steps = new ArrayList<>();
    private long micros = MICROS;

    private record Charge(
        long cost, List<ChargeMarks> chargeMarks, ReferenceLimiter.Receipt receipt) {}

    EqualLimits(Limit limit, long seed) {
      this.limit = limit;
      random = new SplittableRandom(seed);
      ScriptPlan scriptPlan = plan(limit);
      releases = List.of(new Node(scriptPlan, true), new Node(scriptPlan, false));
      period = limit.memory().toNanos() / 1000;
      model = new ReferenceLimiter(List.of(limit), Takeover.WHEN_WRITTEN);
      steps.add(limit + ", seed " + seed);
    }

    private Node node(int world) {
      return releases.get(world == 0 ? random.nextInt(2) : world - 1);
    }

    private Fraction now() {
      return ReferenceLimiter.nanos(micros * 1000);
    }

    void run() {
      boolean isCorrected = false;
      for (int i = 0; i < STEPS; i++) {
        switch (random.nextInt(10)) {
          case 0, 1, 2 -> micros += random.nextLong(period / 20);
          case 3 -> micros += random.nextLong(period);
          default -> {}
        }
        isCorrected |= step();
        compareValues();
      }
      if (!isCorrected && !(limit instanceof Limit.LeakyBucket)) {
        AlgorithmBounds.verify(limit, grants);
      }
    }

    /** Returns whether anything was given back. */
    private boolean step() {
      long cost = random.nextInt(3) == 0 ? random.nextLong(1, limit.capacity() + 1) : 1;
      switch (random.nextInt(16)) {
        case 0, 1 -> {
          ObservedDecision expected = model.peek("key", cost, now());
          for (int world = 0; world < worlds.size(); world++) {
            Node node = note("peek " + cost, node(world));
            agree(ObservedDecision.of(node.peek(worlds.get(world), cost, micros)), expected);
          }
          return false;
        }
        case 2 -> {
          model.refund("key", cost, now());
          for (int world = 0; world < worlds.size(); world++) {
            Node node = note("refund " + cost, node(world));
            node.send(worlds.get(world), node.scriptPlan().refund(cost, micros));
          }
          return true;
        }
        case 3, 4 -> {
          reserve(cost, random.nextBoolean() ? Duration.ZERO : Duration.ofHours(1));
          return true;
        }
        case 5 -> {
          settle();
          return true;
        }
        default -> {
          check(cost);
          return false;
        }
      }
    }

    private void check(long cost) {
      ObservedDecision expected = model.check("key", cost, now());
      for (int world = 0; world < worlds.size(); world++) {
        Node node = note("check " + cost, node(world));
        agree(
            ObservedDecision.of(node.check(worlds.get(world), cost, micros).decision(0)), expected);
      }
      if (expected.allowed()) {
        long nanos = micros * 1000;
        grants.add(new AlgorithmBounds.Grant(nanos, cost, nanos + expected.delay().toNanos()));
      }
    }

    private void reserve(long cost, Duration maxWait) {
      ReferenceLimiter.Receipt receipt = model.reserve("key", cost, maxWait, now());
      List<ChargeMarks> chargeMarks = new ArrayList<>();
      for (int world = 0; world < worlds.size(); world++) {
        Node node = note("reserve " + cost + " within " + maxWait, node(world));
        TakeReply takeReply = node.reserve(worlds.get(world), cost, maxWait, micros);
        agree(ObservedDecision.of(takeReply.decision(0)), receipt.observedDecision());
        chargeMarks.add(takeReply.marks(0));
      }
      if (receipt.observedDecision().allowed()) {
        charges.add(new Charge(cost, chargeMarks, receipt));
      }
    }

    /** By a node of either release, whichever has made the charge. */
    private void settle() {
      if (charges.isEmpty()) {
        return;
      }
      Charge charge = charges.remove(random.nextInt(charges.size()));
      long actual =
          switch (random.nextInt(3)) {
            case 0 -> 0;
            case 1 -> random.nextLong(charge.cost());
            default -> charge.cost() + random.nextLong(1, 2 * limit.capacity() + 1);
          };
      charge.receipt().settle(actual, now());
      for (int world = 0; world < worlds.size(); world++) {
        Node node = note("settle " + charge.cost() + " to " + actual, node(world));
        ChargeMarks chargeMarks = charge.chargeMarks().get(world);
        node.send(
            worlds.get(world),
            node.scriptPlan().settle(chargeMarks, charge.cost(), actual, micros));
      }
    }

    private void compareValues() {
      byte[][] values =
          worlds.stream()
              .map(key -> value(releases.get(0).scriptPlan().keys(key)[0]))
              .toArray(byte[][]::new);
      assertThat(values[2]).as(this::text).isEqualTo(values[1]);
      assertThat(values[0]).as(this::text).isEqualTo(values[1]);
    }

    private Node note(String verb, Node node) {
      String release = node.isPrevious() ? "previous" : "present";
      steps.add(verb + " by the " + release + " release at " + micros);
      return node;
    }

    private void agree(ObservedDecision actual, ObservedDecision expected) {
      assertThat(actual).as(this::text).isEqualTo(expected);
    }

    private String text() {
      return String.join("\n", steps);
    }
  }

  @TestFactory
  Stream<DynamicTest> withDifferentLimitsNoneIsWorseThanThePreviousReleaseAlone() {
    return mixedLimits().stream()
        .map(mixed -> DynamicTest.dynamicTest(mixed.name(), () -> compareAll(mixed)));
  }

  /** A request, the same in all worlds. */
  private record Request(long micros, int node, long cost, boolean isPeek) {}

  private static List<Request> alternating(MixedLimits mixed) {
    List<Request> requests = new ArrayList<>();
    long step = mixed.period().toNanos() / 1000 / 200;
    for (int i = 1; i <= 500; i++) {
      for (int node = 0; node < mixed.limits().size(); node++) {
        requests.add(new Request(MICROS + i * step, node, 1, false));
      }
    }
    return requests;
  }

  private static List<Request> random(MixedLimits mixed, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    long period = mixed.period().toNanos() / 1000;
    List<Request> requests = new ArrayList<>();
    long micros = MICROS;
    for (int i = 0; i < 3 * STEPS; i++) {
      switch (random.nextInt(10)) {
        case 0, 1, 2 -> micros += random.nextLong(period / 20);
        case 3 -> micros += random.nextInt(4) == 0 ? random.nextLong(period) : 0;
        default -> {}
      }
      int node = random.nextInt(mixed.limits().size());
      long capacity = mixed.limits().get(node).capacity();
      long cost = random.nextInt(3) == 0 ? random.nextLong(1, capacity + 1) : 1;
      requests.add(new Request(micros, node, cost, random.nextInt(6) == 0));
    }
    return requests;
  }

  /** What nodes grant, those of the bits in {@code previous} being of the previous release. */
  private static List<AlgorithmBounds.Grant> grants(
      MixedLimits mixed, List<Request> requests, int previous) {
    String key = freshKey();
    List<Node> nodes = new ArrayList<>();
    for (Limit limit : mixed.limits()) {
      nodes.add(new Node(plan(limit), (previous >> nodes.size() & 1) == 1));
    }
    List<AlgorithmBounds.Grant> grants = new ArrayList<>();
    for (Request request : requests) {
      Node node = nodes.get(request.node());
      if (request.isPeek()) {
        node.peek(key, request.cost(), request.micros());
        continue;
      }
      Decision decision = node.check(key, request.cost(), request.micros()).decision(0);
      if (decision.allowed()) {
        long nanos = request.micros() * 1000;
        grants.add(
            new AlgorithmBounds.Grant(nanos, request.cost(), nanos + decision.delay().toNanos()));
      }
    }
    return grants;
  }

  private static long maxInAPeriod(MixedLimits mixed, List<AlgorithmBounds.Grant> grants) {
    Deque<AlgorithmBounds.Grant> recent = new ArrayDeque<>();
    long sum = 0;
    long max = 0;
    for (AlgorithmBounds.Grant grant : grants) {
      recent.add(grant);
      sum += grant.permits();
      while (recent.getFirst().nanos() <= grant.nanos() - mixed.period().toNanos()) {
        sum -= recent.removeFirst().permits();
      }
      max = Math.max(max, sum);
    }
    return max;
  }

  /**
   * A request that is refused in one world and granted in another changes what is free later. So a
   * schedule may come to a few more grants than with the previous release alone, but only within
   * what the largest limit allows anyway.
   */
  private static void compare(MixedLimits mixed, List<Request> requests) {
    int all = (1 << mixed.limits().size()) - 1;
    long max = maxInAPeriod(mixed, grants(mixed, requests, all));
    for (int previous = 0; previous < all; previous++) {
      List<AlgorithmBounds.Grant> grants = grants(mixed, requests, previous);
      if (previous == 0 || maxInAPeriod(mixed, grants) > max) {
        mixed.verify(grants);
      }
    }
  }

  private void compareAll(MixedLimits mixed) {
    compare(mixed, alternating(mixed));
    for (long seed = 0; seed < seeds(); seed++) {
      compare(mixed, random(mixed, seed));
    }
  }

  /** The table in docs/how-to/upgrade.md: a sliding log, the same requests at each kind of node. */
  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource({
    "previous, previous, 505, 205",
    "present,  previous, 505, 205",
    "previous, present,  120, 40",
    "present,  present,  120, 40",
  })
  void documentedGrantsOfBothReleases(String larger, String smaller, long all, long max) {
    MixedLimits mixed =
        MixedLimits.fortyAndTen().stream()
            .filter(each -> each.name().startsWith("sliding-log ["))
            .findFirst()
            .orElseThrow();
    int previous = (larger.equals("previous") ? 1 : 0) + (smaller.equals("previous") ? 2 : 0);
    List<AlgorithmBounds.Grant> grants = grants(mixed, alternating(mixed), previous);
    assertThat(List.of((long) grants.size(), maxInAPeriod(mixed, grants)))
        .containsExactly(all, max);
  }

  /** 40 and 10 permits in 12 s, both with bursts of 40: a value says how many permits are owed. */
  @Test
  void previousReleaseKeepsNewFieldsAndTheyAreVoidAfterwards() {
    String key = freshKey();
    ScriptPlan fastPlan = plan(Limit.tokenBucket(40).per(Duration.ofSeconds(12)));
    ScriptPlan slowPlan = plan(Limit.tokenBucket(10).per(Duration.ofSeconds(12)).burst(40));
    Node fast = new Node(fastPlan, false);
    byte[] name = fastPlan.keys(key)[0];
    fast.check(key, 10, MICROS);
    assertThat(value(name)).hasSize(9);
    new Node(slowPlan, false).check(key, 1, MICROS);
    byte[] before = value(name);
    assertThat(before).hasSize(10 + NEW_FIELDS);

    // By the fields that it keeps, 11 would still be owed.
    new Node(slowPlan, true).send(key, slowPlan.refund(5, MICROS));

    byte[] after = value(name);
    assertThat(after).hasSameSizeAs(before).isNotEqualTo(before);
    assertThat(newFields(after)).isEqualTo(newFields(before));
    Node slow = new Node(slowPlan, false);
    Decision decision = slow.peek(key, 1, MICROS);
    redis.call(
        "SET".getBytes(StandardCharsets.US_ASCII),
        name,
        Arrays.copyOf(after, after.length - NEW_FIELDS));
    assertThat(slow.peek(key, 1, MICROS)).isEqualTo(decision);
    assertThat(decision.remaining()).isEqualTo(34);
  }

  private static byte[] newFields(byte[] value) {
    return Arrays.copyOfRange(value, value.length - NEW_FIELDS, value.length);
  }

  /** Leases, charges of strict limiters, and the sums of counters that nodes report to. */
  @TestFactory
  Stream<DynamicTest> otherModesReadAndWriteTheSameValues() {
    Limit log = Limit.slidingLog(100).perMinute();
    Limit bucket = Limit.tokenBucket(100).perMinute();
    return Stream.of(log, bucket)
        .flatMap(
            limit -> {
              List<Limit> limits = List.of(limit);
              ScriptPlan leased = ScriptPlan.leased("test", "leased", limits);
              ScriptPlan strict =
                  ScriptPlan.strict("test", "strict", limits, 30_000, Duration.ofHours(1));
              ScriptPlan eventual = ScriptPlan.eventual("test", "told", limits);
              return Stream.of(
                  same("lease " + limit, leased, at -> leased.lease(1, 1, 5, 2, 100_000, null, at)),
                  same("strict " + limit, strict, at -> strict.take(2, 1, at)),
                  same("sum " + limit, eventual, at -> eventual.reportGrants(3, 60_000_000, at)));
            });
  }

  private static DynamicTest same(
      String name, ScriptPlan scriptPlan, LongFunction<ScriptMessage> scriptMessage) {
    return DynamicTest.dynamicTest(
        name,
        () -> {
          Node previous = new Node(scriptPlan, true);
          Node present = new Node(scriptPlan, false);
          String mixed = freshKey();
          String alone = freshKey();
          for (int i = 0; i < 40; i++) {
            long micros = MICROS + i * 700_000L;
            long[] expected = previous.send(alone, scriptMessage.apply(micros));
            Node node = i % 2 == 0 ? present : previous;
            assertThat(node.send(mixed, scriptMessage.apply(micros))).isEqualTo(expected);
            for (int k = 0; k < scriptPlan.keys(mixed).length; k++) {
              assertThat(value(scriptPlan.keys(mixed)[k]))
                  .isEqualTo(value(scriptPlan.keys(alone)[k]));
            }
          }
        });
  }
}
