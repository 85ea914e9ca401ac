package io.weir.rules.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Limit;
import io.weir.rules.AttributeSource;
import io.weir.rules.Cost;
import io.weir.rules.Domain;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TraceReplayTest {
  private static final Policy SHADOW = Policy.DEFAULT.with(Policy.Mode.SHADOW);
  private static final Limit TWO_PER_SECOND = Limit.fixedWindow(2).per(Duration.ofSeconds(1));

  @Test
  void decidesLineByLineInTheOrderOfTheTrace() throws IOException {
    RuleSet rules =
        rules(
            Rule.named("user").per("user").limit(TWO_PER_SECOND),
            Rule.named("pair")
                .per("user", "path")
                .limit(Limit.fixedWindow(1).per(Duration.ofSeconds(2))),
            Rule.named("all").per("room").limit(Limit.fixedWindow(3).per(Duration.ofSeconds(10))));
    assertThat(
            decide(
                rules,
                """
                time,user,path,cost,room
                1000,ann,/a,,
                1000,ann,/a,,
                1001,ann,/b,,
                1002,ann,/c,,
                500,"b,""|\\",/a,,
                2000,ann,/d,4,
                2000,,,,
                2001,,,,x
                2001,,,4,x
                """))
        .containsExactly(
            DecisionLine.HEADER,
            "1000,pair,ann|/a,true,0,0,0",
            "1000,pair,ann|/a,false,0,1000,0",
            "1001,user,ann,true,0,0,0",
            "1002,user,ann,false,0,998,0",
            "500,pair,\"b,\"\"\\|\\\\|/a\",true,0,0,0",
            "2000,user,ann,false,1,-1,0",
            "2000,,,true,,0,0",
            "2001,all,x,true,2,0,0",
            "2001,all,x,false,2,-1,0");
  }

  @Test
  void holdsRequestsBack() throws IOException {
    RuleSet rules = rules(Rule.named("q").limit(Limit.leakyBucket(2).perSecond().queue(1)));
    assertThat(decide(rules, "time\n0\n0\n0\n"))
        .containsExactly(
            DecisionLine.HEADER, "0,q,,true,1,0,0", "0,q,,true,0,0,500", "0,q,,false,0,500,0");
    Summary summary = run(rules, "time\n0\n0\n0\n");
    assertThat(summary.count(ReplayOutcome.DELAYED)).isEqualTo(1);
    assertThat(summary.rules().get(0).count(ReplayOutcome.DELAYED)).isEqualTo(1);
  }

  @Test
  void triesOutShadowsWithoutRefusing() throws IOException {
    RuleSet rules =
        rules(
            Rule.named("tried").per("user").limit(TWO_PER_SECOND).policy(SHADOW),
            Rule.named("enforced").limit(Limit.fixedWindow(4).per(Duration.ofSeconds(1))));
    String text = "time,user\n" + "0,a\n".repeat(6);
    assertThat(decide(rules, text).get(3)).isEqualTo("0,enforced,,true,1,0,0");
    Summary summary = run(rules, text);
    RuleSummary tried = summary.rules().get(0);
    assertThat(tried.isShadow()).isTrue();
    assertThat(tried.requests()).isEqualTo(4);
    assertThat(tried.count(ReplayOutcome.SHADOW_REFUSED)).isEqualTo(2);
    assertThat(tried.refusedShare()).isEqualTo(0.5);
    assertThat(summary.count(ReplayOutcome.SHADOW_REFUSED)).isEqualTo(2);
    assertThat(summary.allowed()).isEqualTo(4);
    assertThat(summary.refused()).isEqualTo(2);
  }

  @Test
  void sumsUp() throws IOException {
    RuleSet rules =
        rules(
            Rule.named("user").per("user").limit(TWO_PER_SECOND),
            Rule.named("room").per("room").limit(TWO_PER_SECOND),
            Rule.named("off").limit(TWO_PER_SECOND).policy(Policy.DEFAULT.with(Policy.Mode.OFF)));
    Summary summary =
        run(
            rules,
            """
            time,user
            5000,ann
            5000,ann
            5000,ann
            5000,ann
            4000,bob
            bad,bob
            6000,
            """);
    assertThat(summary.requests()).isEqualTo(6);
    assertThat(summary.refused()).isEqualTo(2);
    assertThat(summary.uncovered()).isEqualTo(1);
    assertThat(summary.outOfOrder()).isEqualTo(1);
    assertThat(summary.first()).hasValue(Instant.ofEpochSecond(4));
    assertThat(summary.last()).hasValue(Instant.ofEpochSecond(6));
    assertThat(summary.malformed().count()).isEqualTo(1);
    assertThat(summary.malformed().first().get(0).line()).isEqualTo(7);
    assertThat(
            summary.outcomeSeries().counts(ReplayOutcome.REFUSED).stream().mapToLong(n -> n).sum())
        .isEqualTo(2);
    RuleSummary user = summary.rules().get(0);
    assertThat(user.requests()).isEqualTo(5);
    assertThat(user.refused()).isEqualTo(2);
    assertThat(user.refusedShare()).isEqualTo(0.4);
    assertThat(user.keys()).isEqualTo(2);
    assertThat(user.keysRefused()).isEqualTo(1);
    assertThat(user.peakUse()).isEqualTo(1);
    assertThat(user.use().get(RuleSummary.USE_STEPS - 1)).isEqualTo(3);
    assertThat(user.use().get(10)).isEqualTo(2);
    assertThat(user.mostRefused()).containsExactly(new KeyCount(user.rule(), "ann", 2, 4));
    assertThat(summary.rules().get(1).neverFired()).isTrue();
    assertThat(summary.rules().get(2).neverFired()).isTrue();
    assertThat(summary.comparison()).isEmpty();
  }

  @Test
  void countsRequestsThatAFrontWouldRefuse() throws IOException {
    RuleSet rules = rules(Rule.named("r").cost(new Cost.OfAttribute("size")).limit(TWO_PER_SECOND));
    List<String> decided = decide(rules, "time,size\n0,1\n0,x\n0,1\n");
    assertThat(decided)
        .containsExactly(
            DecisionLine.HEADER, "0,r,,true,1,0,0", "0,,,false,,-1,0", "0,r,,true,0,0,0");
    Summary summary = run(rules, "time,size\n0,1\n0,x\nx,1\n0,1\n");
    assertThat(summary.requests()).isEqualTo(2);
    assertThat(summary.malformed().count()).isEqualTo(1);
    assertThat(summary.malformed().first()).extracting(BadLine::line).containsExactly(4L);
    assertThat(summary.badRequests().count()).isEqualTo(1);
    assertThat(summary.badRequests().first()).extracting(BadLine::line).containsExactly(3L);
    assertThat(summary.badRequests().first().get(0).reason()).contains("'size' is a cost");
  }

  @Test
  void findsAttributesAsInALiveRequest() throws IOException {
    Map<String, AttributeSource> attributes =
        Map.of(
            "tier",
            new AttributeSource.Lookup("key", Map.of("k1", "pro"), Optional.of("free")),
            "client",
            new AttributeSource.FirstOf(List.of("key", "ip")));
    Rule rule = Rule.named("r").per("client", "tier").limit(TWO_PER_SECOND).build();
    RuleSet rules = RuleSet.of(new Domain("default", attributes, List.of(rule)));
    assertThat(decide(rules, "time,key,ip,tier\n0,k1,1.2.3.4,x\n0,,1.2.3.4,x\n"))
        .containsExactly(
            DecisionLine.HEADER, "0,r,k1|pro,true,1,0,0", "0,r,1.2.3.4|free,true,1,0,0");
  }

  @Test
  void comparesTwoRuleSets() throws IOException {
    RuleSet before = rules(Rule.named("old").per("user").limit(TWO_PER_SECOND));
    RuleSet after =
        rules(
            Rule.named("new").per("user").limit(Limit.fixedWindow(3).per(Duration.ofSeconds(1))),
            Rule.named("room").per("room").limit(Limit.fixedWindow(1).per(Duration.ofSeconds(1))));
    String text =
        """
        time,user,room
        0,ann,
        0,ann,
        0,ann,
        0,ann,
        0,bob,x
        0,bob,x
        0,cat,x
        """;
    Comparison comparison =
        TraceReplay.by(before).comparedWith(after).run(Traces.of(text)).comparison().orElseThrow();
    Flips allowed = comparison.newlyAllowed();
    assertThat(allowed.requests()).isEqualTo(1);
    assertThat(allowed.byKey()).extracting(KeyCount::key).containsExactly("ann");
    assertThat(allowed.byRule()).extracting(each -> each.rule().name()).containsExactly("old");
    assertThat(allowed.examples().get(0).request().line()).isEqualTo(4);
    Flips refused = comparison.newlyRefused();
    assertThat(refused.requests()).isEqualTo(2);
    assertThat(refused.keys()).isEqualTo(1);
    assertThat(refused.byRule()).extracting(each -> each.rule().name()).containsExactly("room");
    assertThat(refused.byRule().get(0).count()).isEqualTo(2);
    assertThat(refused.examples())
        .extracting(each -> each.refusal().rule() + " " + each.refusal().key())
        .containsExactly("room x", "room x");
    assertThat(comparison.other().refused()).isEqualTo(3);
    assertThat(comparison.other().comparison()).isEmpty();
  }

  @Test
  void neverGrantsMoreWhenTimesGoBackWithinAKey() throws IOException {
    List<Limit> limits =
        List.of(
            Limit.tokenBucket(5).perSecond().burst(5),
            Limit.leakyBucket(5).perSecond().queue(4),
            Limit.fixedWindow(5).perSecond(),
            Limit.slidingLog(5).perSecond(),
            Limit.slidingWindow(5).perSecond(),
            Limit.slidingEpochs(5).perSecond());
    Random random = new Random(3);
    for (Limit limit : limits) {
      for (int round = 0; round < 50; round++) {
        List<Integer> times = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
          times.add(random.nextInt(round % 2 == 0 ? 3000 : 300_000));
        }
        RuleSet rules = rules(Rule.named("r").limit(limit));
        Collections.sort(times);
        long inOrder = run(rules, csv(times)).allowed();
        Collections.shuffle(times, random);
        assertThat(run(rules, csv(times)).allowed())
            .as("%s %s", limit, times)
            .isLessThanOrEqualTo(inOrder);
      }
    }
  }

  @Test
  void timeOfOneKeyDoesNotAffectAnother() throws IOException {
    Random random = new Random(5);
    RuleSet rules = rules(Rule.named("r").per("user").limit(Limit.slidingLog(3).perSecond()));
    Map<String, List<String>> alone = new HashMap<>();
    List<String> mixed = new ArrayList<>();
    for (int user = 0; user < 20; user++) {
      StringBuilder text = new StringBuilder("time,user\n");
      long time = random.nextInt(1_000_000_000);
      for (int i = 0; i < 50; i++) {
        time += random.nextInt(400);
        text.append(time).append(",u").append(user).append('\n');
      }
      List<String> decided = decide(rules, text.toString());
      alone.put("u" + user, decided.subList(1, decided.size()));
      mixed.addAll(text.toString().lines().skip(1).toList());
    }
    List<Integer> turns = new ArrayList<>();
    for (int i = 0; i < mixed.size(); i++) {
      turns.add(i / 50);
    }
    Collections.shuffle(turns, random);
    int[] next = new int[20];
    StringBuilder text = new StringBuilder("time,user\n");
    for (int user : turns) {
      text.append(mixed.get(50 * user + next[user]++)).append('\n');
    }
    Map<String, List<String>> together = new HashMap<>();
    for (String line : decide(rules, text.toString())) {
      together.computeIfAbsent(line.split(",")[2], key -> new ArrayList<>()).add(line);
    }
    together.remove("key");
    assertThat(together).isEqualTo(alone);
  }

  @Test
  void endsWhenASinkFails() {
    RuleSet rules = rules(Rule.named("r").limit(TWO_PER_SECOND));
    StringBuilder text = new StringBuilder("time\n");
    for (int i = 0; i < 500_000; i++) {
      text.append(i).append('\n');
    }
    assertThatThrownBy(
            () ->
                TraceReplay.by(rules)
                    .decisionsTo(
                        line -> {
                          throw new IOException("disk full");
                        })
                    .run(Traces.of(text.toString())))
        .isInstanceOf(IOException.class)
        .hasMessage("disk full");
  }

  @Test
  void reportsProgress() throws IOException {
    RuleSet rules = rules(Rule.named("r").limit(TWO_PER_SECOND));
    StringBuilder text = new StringBuilder("time\n");
    for (int i = 0; i < 100_000; i++) {
      text.append(i).append('\n');
    }
    List<Progress> seen = new ArrayList<>();
    TraceReplay.by(rules).progressTo(seen::add).run(Traces.of(text.toString()));
    assertThat(seen).hasSizeGreaterThan(2);
    assertThat(seen.get(seen.size() - 1).requests()).isEqualTo(100_000);
    assertThat(seen.get(seen.size() - 1).bytesRead()).isEqualTo(text.length());
    assertThat(seen).isSortedAccordingTo((a, b) -> Long.compare(a.requests(), b.requests()));
  }

  private static String csv(List<Integer> times) {
    StringBuilder text = new StringBuilder("time\n");
    times.forEach(time -> text.append(time).append('\n'));
    return text.toString();
  }

  private static RuleSet rules(Rule.Builder... rules) {
    List<Rule> built = new ArrayList<>();
    for (Rule.Builder rule : rules) {
      built.add(rule.build());
    }
    return RuleSet.of(new Domain("default", Map.of(), built));
  }

  private static Summary run(RuleSet rules, String text) throws IOException {
    return TraceReplay.by(rules).run(Traces.of(text));
  }

  private static List<String> decide(RuleSet rules, String text) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (DecisionFile file = new DecisionFile(out)) {
      TraceReplay.by(rules).decisionsTo(file).run(Traces.of(text));
    }
    return out.toString(StandardCharsets.UTF_8).lines().toList();
  }
}
