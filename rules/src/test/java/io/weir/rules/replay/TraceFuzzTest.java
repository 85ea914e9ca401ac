package io.weir.rules.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.rules.AttributeSource;
import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Good traces with random damage: whatever comes of it, it is no exception and it ends. */
class TraceFuzzTest {
  private static final String CSV =
      "time,user,path,cost,ip\r\n1000,ann,/a/b,2,10.0.0.1\n"
          + "2026-05-04T12:00:00.5+02:00,\"b,\"\"o\nb\",/%41/../x,,::1\n"
          + "-5,\"\",/c;x/d/,0,not an address\n".repeat(3);
  private static final String LOG =
      ("192.0.2.1 - ann [10/Oct/2000:13:55:36 -0700] \"GET /a?k=c&k2=%20 HTTP/1.0\" 200 2326\n"
              + "h.example:80 2001:db8::1 - - [10/Oct/2000:13:55:37 +0000] \"POST http://h/x?k=1"
              + " HTTP/1.1\" 404 - \"http://ref/\" \"a \\\"b\\\" \\x41\\\\\" 0.1 \"-\"\r\n")
          .repeat(3);
  private static final String SPICE = "\",\n\r\\[]/%:;-+TZ0129 \0\u00ff";

  @Test
  @Timeout(value = 120, unit = TimeUnit.SECONDS)
  void survivesDamage() throws IOException {
    for (int seed = 0; seed < 3000; seed++) {
      run(seed);
    }
  }

  @Test
  @Tag("soak")
  void survivesMinutesOfDamage() throws IOException {
    long minutes = Long.getLong("weir.fuzz.minutes", 5);
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(minutes);
    long seed = System.nanoTime();
    while (System.nanoTime() < end) {
      run(seed++);
    }
  }

  private static void run(long seed) throws IOException {
    Random random = new Random(seed);
    byte[] bytes = (random.nextBoolean() ? CSV : LOG).getBytes(StandardCharsets.UTF_8);
    boolean packed = random.nextInt(3) == 0;
    boolean damagePacked = packed && random.nextBoolean();
    if (!damagePacked) {
      bytes = damaged(bytes, random);
    }
    if (packed) {
      bytes = Traces.gzip(bytes);
    }
    if (damagePacked) {
      bytes = damaged(bytes, random);
    }
    try {
      replay(bytes, random.nextInt(4) == 0);
    } catch (InvalidTraceException e) {
      assertThat(e.getMessage()).startsWith("trace:").hasSizeLessThan(500);
    } catch (RuntimeException | Error e) {
      throw new AssertionError("seed " + seed, e);
    }
  }

  private static void replay(byte[] bytes, boolean attributesToo) throws IOException {
    if (attributesToo) {
      Trace trace = Traces.of(bytes);
      for (TraceRequest request : Traces.all(trace)) {
        assertThat(request.attributes()).doesNotContainValue("");
      }
    }
    Trace trace = Traces.of(bytes);
    try (DecisionFile decisions = new DecisionFile(OutputStream.nullOutputStream())) {
      Summary summary = Replay.by(RULES).comparedWith(RULES).decisionsTo(decisions).run(trace);
      assertThat(summary.comparison().orElseThrow().newlyRefused().requests()).isZero();
      assertThat(summary.timeline().spans()).isLessThanOrEqualTo(Timeline.MOST_SPANS);
    }
  }

  private static final RuleSet RULES =
      RuleSet.of(
          new Domain(
              "default",
              Map.of("k", new AttributeSource.Field(AttributeSource.Field.Kind.QUERY, "k")),
              List.of(
                  Rule.named("one").per("user").limit(Limit.tokenBucket(1).perSecond()).build(),
                  Rule.named("two")
                      .per("path", "ip")
                      .limit(Limit.slidingLog(2).perMinute())
                      .build(),
                  Rule.named("three").per("k").limit(Limit.leakyBucket(1).perSecond()).build(),
                  Rule.named("four").limit(Limit.fixedWindow(3).perDay()).build())));

  private static byte[] damaged(byte[] good, Random random) {
    byte[] bytes = good;
    for (int i = random.nextInt(8); i >= 0; i--) {
      int at = random.nextInt(bytes.length + 1);
      int length = Math.min(bytes.length - at, random.nextInt(20));
      byte[] head = Arrays.copyOf(bytes, at);
      byte[] tail = Arrays.copyOfRange(bytes, at, bytes.length);
      bytes =
          switch (random.nextInt(6)) {
            case 0 -> head;
            case 1 -> joined(head, Arrays.copyOfRange(tail, length, tail.length));
            case 2 -> joined(head, Arrays.copyOf(tail, length), tail);
            case 3 -> {
              byte[] noise = new byte[length];
              random.nextBytes(noise);
              yield joined(head, noise, tail);
            }
            default -> {
              byte[] spice = {(byte) SPICE.charAt(random.nextInt(SPICE.length()))};
              yield joined(head, spice, Arrays.copyOfRange(tail, Math.min(1, length), tail.length));
            }
          };
    }
    return bytes;
  }

  private static byte[] joined(byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    byte[] joined = new byte[length];
    int at = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, joined, at, part.length);
      at += part.length;
    }
    return joined;
  }
}
