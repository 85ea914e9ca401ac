package io.weir.insight;

import io.weir.TimeSource;
import io.weir.decision.DecisionEngine;
import io.weir.decision.DecisionListener;
import io.weir.insight.event.EventBuffer;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Top callers and the thread that tracks them. Thread-safe. */
public final class Insights implements AutoCloseable {
  private final EventBuffer eventBuffer;
  private final Aggregator aggregator;
  private final TimeSource time;
  private final long secret;
  private final boolean isOfAll;
  private @Nullable TopCallers topCallers;

  /**
   * @param time dates what is seen
   */
  public Insights(TimeSource time) {
    this(time, true);
  }

  /**
   * @param isOfAll whether all callers are tracked and their demand is recorded; else only callers
   *     that are refused or close to it
   */
  public Insights(TimeSource time, boolean isOfAll) {
    this(time, ThreadLocalRandom.current().nextLong(), isOfAll);
  }

  /**
   * Uses a known secret.
   *
   * @param secret spreads callers, so that an outsider cannot predict which are in a sample
   */
  Insights(TimeSource time, long secret, boolean isOfAll) {
    this.time = time;
    this.secret = secret;
    this.isOfAll = isOfAll;
    this.eventBuffer = new EventBuffer(isOfAll);
    this.aggregator = new Aggregator(time);
  }

  /** The witness for each decision. */
  public DecisionListener decisionListener() {
    return eventBuffer;
  }

  /** The thread for questions. */
  public Aggregator aggregator() {
    return aggregator;
  }

  /** The demand of callers. */
  public TopCallers topCallers() {
    if (topCallers == null) {
      throw new IllegalStateException("the watch has not started");
    }
    return topCallers;
  }

  /** Starts to track the decisions of {@code arbiter}. */
  public void start(DecisionEngine decisionEngine) {
    begin(decisionEngine);
    aggregator.start();
  }

  /** {@link #start}, without a thread. */
  public void begin(DecisionEngine decisionEngine) {
    long nowMillis = Math.floorDiv(time.epochNanos(), 1_000_000);
    TopCallers seen = new TopCallers(eventBuffer, decisionEngine, nowMillis, secret, isOfAll);
    topCallers = seen;
    aggregator.eachRound(seen::look);
    aggregator.eachSecond(seen::pace);
  }

  @Override
  public void close() {
    aggregator.close();
    eventBuffer.close();
  }
}
