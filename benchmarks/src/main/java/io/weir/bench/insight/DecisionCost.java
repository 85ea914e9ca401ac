package io.weir.bench.insight;

import io.weir.Limit;
import io.weir.StoreHealth;
import io.weir.TimeSource;
import io.weir.bench.jmh.CpuTimedBenchmark;
import io.weir.decision.DecisionCounters;
import io.weir.decision.DecisionEngine;
import io.weir.insight.Insights;
import io.weir.rules.Domain;
import io.weir.rules.Request;
import io.weir.rules.RequestLimiter;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.runtime.BackgroundThread;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Decides requests of a thousand callers by one rule: alone, counted, or counted and recorded for
 * insight.
 */
@State(Scope.Thread)
public class DecisionCost extends CpuTimedBenchmark {
  private static final int WARM_UP = 2_000_000;
  private static final int CALLERS = 1024;

  @Param("alone")
  public String how;

  private final Request[] callers = new Request[CALLERS];
  private final Insights insights = Insights.ofAllCallers();
  private final BackgroundThread thread = new BackgroundThread(TimeSource.system());
  private RequestLimiter limiter;
  private DecisionEngine decisionEngine;
  private boolean isAlone;
  private int next;

  /** Opens the decision path. */
  @Setup
  public void open() {
    Rule rule = Rule.named("r").per("user").limit(Limit.tokenBucket(1_000_000).perSecond()).build();
    limiter =
        RequestLimiter.builder(RuleSet.of(new Domain("default", Map.of(), List.of(rule)))).build();
    isAlone = how.equals("alone");
    decisionEngine =
        new DecisionEngine(
            limiter,
            how.equals("seen")
                ? new DecisionCounters(insights.decisionListener())
                : new DecisionCounters());
    if (how.equals("seen")) {
      insights.start(decisionEngine, thread, TimeSource.system(), () -> StoreHealth.IN_PROCESS);
      thread.start();
    }
    for (int i = 0; i < CALLERS; i++) {
      String user = "user-" + i;
      callers[i] = name -> name.equals("user") ? user : null;
    }
    for (int i = 0; i < WARM_UP; i++) {
      decide();
    }
  }

  /** Ends the insight thread. */
  @TearDown
  public void close() {
    thread.close();
    insights.close();
  }

  /** One decision. */
  @Benchmark
  public Object decide() {
    count();
    next = next + 1 & CALLERS - 1;
    return isAlone ? limiter.checkAsync(callers[next]) : decisionEngine.decide(callers[next]);
  }
}
