package io.weir.rules.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.rig.Fuzzing;
import io.weir.rig.Mutator;
import io.weir.rules.AttributeSource;
import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Good traces with random damage: whatever comes of it, it is no exception and it ends. See {@link
 * Fuzzing}.
 */
@Tag("slow")
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
  private static final Mutator MUTATOR =
      new Mutator(
          List.of(
              "\"", "\"\"", ",", "\n", "\r", "\\", "\\x", "[", "]", "/", "%", "%4", ":", ";", "-",
              "+", "T", "Z", "0", "1", "2", "9", " ", "\0", "\u00ff", "?", "&", "k=", "time", "é",
              "😀"));

  @Test
  void survivesDamage() {
    Fuzzing.rounds(3000, TraceFuzzTest::round);
  }

  @Test
  @Tag("soak")
  void survivesMinutesOfDamage() {
    Fuzzing.minutes(TraceFuzzTest::round);
  }

  private static void round(Random random) throws IOException {
    byte[] bytes = (random.nextBoolean() ? CSV : LOG).getBytes(StandardCharsets.UTF_8);
    boolean packed = random.nextInt(3) == 0;
    boolean damagePacked = packed && random.nextBoolean();
    if (!damagePacked) {
      bytes = MUTATOR.mutate(bytes, random);
    }
    if (packed) {
      bytes = Traces.gzip(bytes);
    }
    if (damagePacked) {
      bytes = MUTATOR.mutate(bytes, random);
    }
    try {
      replay(bytes, random.nextInt(4) == 0);
    } catch (InvalidTraceException e) {
      assertThat(e.getMessage()).startsWith("trace:").hasSizeLessThan(500);
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
      Summary summary = TraceReplay.by(RULES).comparedWith(RULES).decisionsTo(decisions).run(trace);
      assertThat(summary.comparison().orElseThrow().newlyRefused().requests()).isZero();
      assertThat(summary.outcomeSeries().spans()).isLessThanOrEqualTo(OutcomeSeries.MAX_SPANS);
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
}
