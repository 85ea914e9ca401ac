package io.weir.insight;

import io.weir.StoreHealth;
import io.weir.TimeSource;
import io.weir.decision.DecisionEngine;
import io.weir.decision.DecisionListener;
import io.weir.decision.RuleSource.RuleChangeListener;
import io.weir.insight.event.EventBuffer;
import io.weir.runtime.BackgroundThread;
import io.weir.runtime.NodeObserver;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The top callers and the history of one node. Thread-safe.
 *
 * <pre>{@code
 * Insights insights = Insights.ofAllCallers();
 * Node node = Node.builder(rules).observer(insights).open();
 * insights.ask(() -> insights.topCallers().top(REFUSED, MINUTE, null, 10));
 * }</pre>
 */
public final class Insights implements NodeObserver {
  private final EventBuffer eventBuffer;
  private final long secret;
  private final Callers callers;
  private volatile @Nullable Started started;

  /**
   * @param secret spreads callers, so that an outsider cannot predict which are in a sample
   */
  Insights(Callers callers, long secret) {
    this.callers = callers;
    this.secret = secret;
    this.eventBuffer = new EventBuffer(callers == Callers.ALL);
  }

  /** Counts all callers and records their demand. */
  public static Insights ofAllCallers() {
    return of(Callers.ALL);
  }

  /** Counts callers that are refused or close to it; other requests cost nothing. */
  public static Insights ofThrottledCallers() {
    return of(Callers.THROTTLED);
  }

  /** Counts no callers; the history of decisions alone. */
  public static Insights withoutCallers() {
    return of(Callers.NONE);
  }

  private static Insights of(Callers callers) {
    return new Insights(callers, ThreadLocalRandom.current().nextLong());
  }

  @Override
  public DecisionListener decisionListener() {
    return callers == Callers.NONE ? DecisionListener.NOBODY : eventBuffer;
  }

  @Override
  public RuleChangeListener start(
      DecisionEngine decisionEngine,
      BackgroundThread thread,
      TimeSource time,
      Supplier<StoreHealth> health) {
    if (started != null) {
      throw new IllegalStateException("these insights observe another node; create new ones");
    }
    ActivityHistory activityHistory = new ActivityHistory(thread, decisionEngine, time, health);
    long nowMillis = Math.floorDiv(time.epochNanos(), 1_000_000);
    TopCallers topCallers =
        new TopCallers(eventBuffer, decisionEngine, nowMillis, secret, callers == Callers.ALL);
    thread.eachRound(topCallers::update);
    thread.eachSecond(topCallers::pace);
    started = new Started(thread, topCallers, activityHistory);
    return activityHistory.changes();
  }

  /**
   * Runs {@code query} on the background thread, which owns the data. It includes every decision
   * made before this call. The stage completes on that thread, so dependent actions must be short
   * or use another executor.
   */
  public <T> CompletionStage<T> ask(Supplier<T> query) {
    return started().thread.ask(query);
  }

  /** The demand of callers, for queries that {@link #ask} runs. */
  public TopCallers topCallers() {
    return started().topCallers;
  }

  /** The history of decisions and rule changes. */
  public ActivityHistory activityHistory() {
    return started().activityHistory;
  }

  private Started started() {
    Started known = started;
    if (known == null) {
      throw new IllegalStateException("no node has been opened with these insights");
    }
    return known;
  }

  @Override
  public String refusedCallers(String rule) {
    return ThrottledCallersText.of(topCallers(), rule);
  }

  @Override
  public void close() {
    eventBuffer.close();
  }

  /** Which callers are counted. */
  enum Callers {
    ALL,
    THROTTLED,
    NONE
  }

  private record Started(
      BackgroundThread thread, TopCallers topCallers, ActivityHistory activityHistory) {}
}
