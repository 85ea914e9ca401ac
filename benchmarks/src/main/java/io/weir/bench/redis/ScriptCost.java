package io.weir.bench.redis;

import io.weir.RateLimiter;
import io.weir.Store;
import io.weir.bench.program.RedisServer;
import io.weir.bench.program.Resp;
import io.weir.bench.redis.node.Allowance;
import io.weir.bench.redis.node.BareScript;
import io.weir.bench.report.Bar;
import io.weir.bench.report.MarkdownTable;
import io.weir.bench.report.Numbers;
import io.weir.bench.report.Section;
import io.weir.bench.report.Spread;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * How long Redis runs the script of a token bucket, compared with the bare one. Weir's call is
 * recorded once and repeated for many callers, in the same pipeline as the bare one, because Weir
 * would not send refused checks to Redis.
 */
final class ScriptCost {
  private static final int KEYS = 100_000;
  private static final int PIPELINE = 64;
  private static final int CALLS_PER_MILLI = 50;
  private static final int LINES_TO_SEE = 100;
  private static final String CALLER = "a-caller-like-no-other";

  private enum Kind {
    BARE_ALLOW("bare, allowed"),
    BARE_REFUSE("bare, refused"),
    WEIR_ALLOW("Weir, allowed"),
    WEIR_REFUSE("Weir, refused");

    private final String label;

    Kind(String label) {
      this.label = label;
    }
  }

  private final RedisSetup redisSetup;
  private final Map<Kind, List<Double>> micros = new EnumMap<>(Kind.class);

  ScriptCost(RedisSetup redisSetup) {
    this.redisSetup = redisSetup;
  }

  Section run() throws IOException, InterruptedException {
    try (RedisServer server = redisSetup.server()) {
      Map<Kind, RecordedCall> calls = new EnumMap<>(Kind.class);
      Allowance one = Allowance.just(1);
      calls.put(Kind.BARE_ALLOW, bare(server, "allow", Allowance.MANY));
      calls.put(Kind.BARE_REFUSE, bare(server, "refuse", one));
      calls.put(Kind.WEIR_ALLOW, weir(server, "allow", Allowance.MANY));
      calls.put(Kind.WEIR_REFUSE, weir(server, "refuse", one));
      for (Map.Entry<Kind, RecordedCall> call : calls.entrySet()) {
        micros.put(call.getKey(), new ArrayList<>());
        for (int i = 0; i < KEYS; i += PIPELINE) { // spends the single permit of each caller
          batch(server, call.getValue(), i);
        }
      }
      for (int round = 1; round <= redisSetup.rounds(); round++) {
        List<Kind> order = new ArrayList<>(calls.keySet());
        Collections.shuffle(order, new Random(round));
        for (Kind kind : order) {
          double cost = redisSetup.watch(() -> measure(server, calls.get(kind)));
          micros.get(kind).add(cost);
          System.err.printf(
              "redis script  round %d/%d  %s: %.2f µs%n",
              round, redisSetup.rounds(), kind.label, cost);
        }
      }
    }
    MarkdownTable table =
        new MarkdownTable("a call", "µs, median [quartiles] (min–max)", "÷ bare, allowed");
    for (Kind kind : Kind.values()) {
      table.row(kind.label, spread(kind).text(), ratio(kind, Kind.BARE_ALLOW).text());
    }
    Spread refused = ratio(Kind.WEIR_REFUSE, Kind.WEIR_ALLOW);
    return Scenario.SCRIPT.section(
        table
            + "\nBy INFO commandstats, over %s callers, %d calls in a write; %d rounds."
                .formatted(Numbers.whole(KEYS), PIPELINE, redisSetup.rounds()),
        List.of(
            Bar.of(
                "script: Weir ÷ bare, allowed",
                Bar.Direction.AT_MOST,
                1.5,
                1.1,
                ratio(Kind.WEIR_ALLOW, Kind.BARE_ALLOW)),
            Bar.of("script: refused ÷ allowed", Bar.Direction.AT_MOST, 1, 1, refused)));
  }

  private double measure(RedisServer server, RecordedCall call) throws IOException {
    Random random = new Random();
    RedisServer.ScriptCalls before = server.scriptCalls();
    for (int i = 0; i < redisSetup.millis() * CALLS_PER_MILLI; i += PIPELINE) {
      batch(server, call, random.nextInt(KEYS));
    }
    return server.scriptCalls().since(before).microsPerCall();
  }

  /** Calls of some callers from the given one on, spread over all keys. */
  private static void batch(RedisServer server, RecordedCall call, int first) throws IOException {
    for (int i = 0; i < PIPELINE; i++) {
      server.resp().write(call.by("user-" + (first + i) % KEYS));
    }
    server.resp().flush();
    for (int i = 0; i < PIPELINE; i++) {
      server.resp().read();
    }
  }

  private static RecordedCall bare(RedisServer server, String name, Allowance allowance)
      throws IOException {
    String script = new String(BareScript.text(), StandardCharsets.ISO_8859_1);
    return new RecordedCall(
        Resp.bytes(
            "EVALSHA",
            server.resp().say("SCRIPT", "LOAD", script),
            "1",
            "bare:" + name + ":{" + CALLER + "}",
            "" + allowance.microsPerPermit(),
            "" + allowance.microsPerBurst()),
        CALLER);
  }

  private static RecordedCall weir(RedisServer server, String name, Allowance allowance)
      throws IOException {
    try (Store store = Store.open("redis://127.0.0.1:" + server.port() + "?" + RedisSetup.PATIENT);
        Resp monitor = new Resp(server.port())) {
      RateLimiter limiter =
          RateLimiter.builder().name(name).limit(allowance.limit()).store(store).build();
      limiter.check("warm"); // loads the script
      monitor.say("MONITOR");
      limiter.check(CALLER);
      for (int i = 0; i < LINES_TO_SEE; i++) {
        RecordedCall call = RecordedCall.of((String) monitor.read(), CALLER);
        if (call != null) {
          return call;
        }
      }
      throw new IOException("Redis has not seen Weir's call");
    }
  }

  private Spread spread(Kind kind) {
    return Spread.of(micros.get(kind).stream().mapToDouble(cost -> cost).toArray());
  }

  private Spread ratio(Kind kind, Kind other) {
    double[] ratios = new double[micros.get(kind).size()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = micros.get(kind).get(i) / micros.get(other).get(i);
    }
    return Spread.of(ratios);
  }
}
