package io.weir.server.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import io.weir.server.nodes.Caller.NodeResponse;
import io.weir.server.nodes.Caller.Outcome;
import io.weir.server.nodes.Load.TimedResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnJre;
import org.junit.jupiter.api.condition.JRE;

/**
 * Redis is stopped under load from two nodes, and restarted. Every rule follows its {@code
 * on_failure}, no request gets an error that no rule configures, and the nodes recover without
 * help.
 */
@Tag("slow")
@EnabledOnJre(JRE.JAVA_17) // slow, and the same on others
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(240)
class RedisFailsTest {
  /** So many that each of the callers below can have the same part of it. */
  private static final int SHARED = 12;

  private static final String RULES =
      """
      domain: shop
      rules:
        - { name: allow, match: { kind: allow }, per: user, limit: 1000000 per hour }
        - { name: deny,  match: { kind: deny },  per: user, limit: 1000000 per hour, on_failure: deny }
        - { name: error, match: { kind: error }, per: user, limit: 1000000 per hour, on_failure: error }
        - { name: local, match: { kind: local }, per: user, limit: 1000000 per hour, on_failure: local }
        - { name: few,   match: { kind: few },   per: user, limit: %d per 30d, on_failure: local }
      """
          .formatted(SHARED);

  /** The outcomes that a rule may have while the state of Redis is unknown. */
  private static final Map<String, Set<Outcome>> EVER =
      Map.of(
          "allow", Set.of(Outcome.ALLOWED),
          "deny", Set.of(Outcome.ALLOWED, Outcome.REFUSED),
          "error", Set.of(Outcome.ALLOWED, Outcome.UNAVAILABLE),
          "local", Set.of(Outcome.ALLOWED));

  /** The outcome while Redis is known to be away. */
  private static final Map<String, Outcome> AWAY =
      Map.of(
          "allow", Outcome.ALLOWED,
          "deny", Outcome.REFUSED,
          "error", Outcome.UNAVAILABLE,
          "local", Outcome.ALLOWED);

  /** A client would not bear more; without a deadline of ours it would be forever. */
  private static final Duration SLOWEST = Duration.ofSeconds(10);

  /** A few lines for each change, whatever the load. */
  private static final int LINES = 60;

  private final List<WeirNode> nodes = new ArrayList<>();
  private final List<Caller> callers = new ArrayList<>();
  private RedisProcess redis;

  @BeforeAll
  void start() {
    redis = RedisProcess.start();
    for (int i = 0; i < 2; i++) {
      WeirNode node = WeirNode.start(RULES, redis.url() + "?timeout=500ms&nodes=2");
      nodes.add(node);
      callers.add(new HttpCaller(node));
      callers.add(new GrpcCaller(node));
    }
  }

  @AfterAll
  void end() {
    callers.forEach(Caller::close);
    nodes.forEach(WeirNode::close);
    redis.close();
  }

  @Test
  void followsTheFailurePolicyWhileRedisIsKilled() {
    outage("killed", RedisProcess::kill, RedisProcess::startAgain);
  }

  @Test
  void followsTheFailurePolicyWhileRedisHangs() {
    outage("hung", RedisProcess::suspend, RedisProcess::resume);
  }

  private void outage(String name, Consumer<RedisProcess> hurt, Consumer<RedisProcess> heal) {
    awaitCounting();
    List<Long> lines = linesLogged();
    for (int i = 0; i < SHARED; i++) {
      NodeResponse response = callers.get(i % callers.size()).check("few", "spender-" + name);
      assertThat(response.outcome()).isEqualTo(Outcome.ALLOWED);
    }
    try (Load load = new Load(callers, AWAY.keySet())) {
      load.awaitMore(200);
      hurt.accept(redis);
      try {
        awaitFailing();
        load.phase("away");
        load.awaitMore(1000);
        assertThat(granted("spender-" + name)).as("no fresh quota").isZero();
        assertThat(granted("newcomer-" + name)).as("by both nodes together").isEqualTo(SHARED);
        load.phase("healing");
      } finally {
        heal.accept(redis);
      }
      awaitCounting();
      load.phase("healed");
      load.awaitMore(200);
      assertResponses(load.end());
    }
    for (int i = 0; i < nodes.size(); i++) {
      assertThat(linesLogged().get(i) - lines.get(i))
          .as("%s", nodes.get(i).program().log())
          .isLessThan(LINES);
    }
  }

  private List<Long> linesLogged() {
    return nodes.stream().map(node -> node.program().log().lines().count()).toList();
  }

  private void assertResponses(List<TimedResponse> responses) {
    assertThat(responses)
        .allSatisfy(
            each -> {
              assertThat(each.response().outcome()).as("%s", each).isIn(EVER.get(each.kind()));
              assertThat(each.took()).as("%s", each).isLessThan(SLOWEST);
            });
    List<TimedResponse> away =
        responses.stream().filter(each -> each.phase().equals("away")).toList();
    assertThat(away).hasSizeGreaterThan(500);
    assertThat(away)
        .allSatisfy(
            each ->
                assertThat(each.response().outcome())
                    .as("%s", each)
                    .isEqualTo(AWAY.get(each.kind())));
    assertThat(away.stream().filter(each -> each.kind().equals("deny")))
        .allSatisfy(each -> assertThat(each.response().retryAfter()).as("%s", each).isEqualTo("1"));
    assertThat(away.stream().filter(each -> each.caller() instanceof HttpCaller))
        .filteredOn(each -> each.kind().equals("deny") || each.kind().equals("error"))
        .allSatisfy(each -> assertThat(each.response().text()).contains("limiter_unavailable"));
    assertThat(nodes).allMatch(node -> node.program().isRunning());
    System.out.printf(
        ">> %d answers, %d while Redis was away, the slowest in %s%n",
        responses.size(),
        away.size(),
        responses.stream().map(TimedResponse::took).max(Duration::compareTo).orElseThrow());
  }

  /** Until every node counts for every rule, several times in a row. */
  private void awaitCounting() {
    for (Caller caller : callers) {
      int[] inARow = {0};
      Await.holds(
          () -> caller + " counts: " + caller.check("error", "probe"),
          Duration.ofSeconds(60),
          () -> {
            boolean counts =
                Stream.of("error", "deny")
                    .map(kind -> caller.check(kind, "probe"))
                    .allMatch(
                        response -> response.outcome() == Outcome.ALLOWED && !response.byFailure());
            inARow[0] = counts ? inARow[0] + 1 : 0;
            return inARow[0] >= 10;
          });
    }
  }

  private void awaitFailing() {
    for (Caller caller : callers) {
      Await.holds(
          caller + " notices",
          () -> caller.check("error", "probe").outcome() == Outcome.UNAVAILABLE);
    }
  }

  /** How often a user is allowed until every node refuses. */
  private int granted(String user) {
    int granted = 0;
    for (Caller caller : callers) {
      NodeResponse response = caller.check("few", user);
      while (response.outcome() == Outcome.ALLOWED && granted <= 10 * SHARED) {
        granted++;
        response = caller.check("few", user);
      }
      assertThat(response.outcome())
          .as("%s: %s", caller, response.text())
          .isEqualTo(Outcome.REFUSED);
    }
    return granted;
  }
}
