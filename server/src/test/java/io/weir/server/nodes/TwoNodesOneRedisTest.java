package io.weir.server.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.SharedRedis;
import io.weir.server.nodes.Caller.NodeResponse;
import io.weir.server.nodes.Caller.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnJre;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two nodes in processes of their own count in one Redis. At either node, by HTTP or by gRPC:
 * exactly the limit is granted.
 */
@Tag("slow")
@EnabledOnJre(JRE.JAVA_17) // slow, and the same on others
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(180)
class TwoNodesOneRedisTest {
  private static final int LIMIT = 1000;
  private static final int THREADS = 8;

  /** Each so long that nothing flows back meanwhile. */
  private static final String RULES =
      """
      domain: shop
      rules:
        - name: bucket
          match: { kind: bucket }
          per: user
          limit: { rate: %1$d per 365d, burst: %1$d }
          on_failure: deny
        - name: window
          match: { kind: window }
          per: user
          limit: { algorithm: fixed-window, rate: %1$d per 3650d }
          on_failure: deny
        - name: log
          match: { kind: log }
          per: user
          limit: { algorithm: sliding-log, rate: %1$d per 365d }
          on_failure: deny
      """
          .formatted(LIMIT);

  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private final List<WeirNode> nodes = new ArrayList<>();
  private final List<Caller> callers = new ArrayList<>();

  @BeforeAll
  void start() {
    // A patient deadline: this is about counting, not about a machine that is slow for a moment.
    String store = SharedRedis.empty().url() + "?timeout=20s&connect_timeout=20s";
    for (int i = 0; i < 2; i++) {
      WeirNode node = WeirNode.start(RULES, store);
      nodes.add(node);
      callers.add(new HttpCaller(node));
      callers.add(new GrpcCaller(node));
    }
  }

  @AfterAll
  void end() {
    threads.shutdownNow();
    callers.forEach(Caller::close);
    nodes.forEach(WeirNode::close);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bucket", "window", "log"})
  void exactlyTheLimitIsGranted(String kind) throws Exception {
    Map<String, Integer> granted = new ConcurrentHashMap<>();
    Callable<Void> job =
        () -> {
          checkUntilNothingIsLeft(kind, granted);
          return null;
        };
    List<Callable<Void>> jobs = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      jobs.add(job);
    }
    for (Future<Void> each : threads.invokeAll(jobs)) {
      each.get();
    }
    System.out.println(">> " + kind + ": " + granted);
    assertThat(granted.values().stream().mapToInt(n -> n).sum()).as("%s", granted).isEqualTo(LIMIT);
    assertThat(granted).as("everybody had some").hasSize(callers.size());
  }

  /** Goes on for a while after the end, to see that it is one. */
  private void checkUntilNothingIsLeft(String kind, Map<String, Integer> granted) {
    for (int refused = 0; refused < 20; ) {
      Caller caller = callers.get(ThreadLocalRandom.current().nextInt(callers.size()));
      NodeResponse response = caller.check(kind, "ada");
      assertThat(response.outcome())
          .as("%s: %s", caller, response.text())
          .isIn(Outcome.ALLOWED, Outcome.REFUSED);
      assertThat(response.byFailure()).as("%s: %s", caller, response.text()).isFalse();
      if (response.outcome() == Outcome.ALLOWED) {
        granted.merge(caller.toString(), 1, Integer::sum);
        refused = 0;
      } else {
        refused++;
      }
    }
  }
}
