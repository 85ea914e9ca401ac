package io.weir.runtime;

import io.weir.RateLimiter;
import io.weir.Store;
import io.weir.StoreHealth;
import io.weir.TimeSource;
import io.weir.decision.DecisionCounters;
import io.weir.decision.DecisionEngine;
import io.weir.decision.DecisionListener;
import io.weir.decision.DecisionTracer;
import io.weir.decision.RefusalLog;
import io.weir.decision.ReloadCounters;
import io.weir.decision.RuleSource;
import io.weir.insight.ActivityHistory;
import io.weir.insight.Insights;
import io.weir.insight.ThrottledCallersText;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import io.weir.rules.envoy.DescriptorMode;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The parts that all front ends share: rules that may change, a store, the decision path, and top
 * callers. Thread-safe.
 *
 * <pre>{@code
 * try (Node node = Node.builder(RuleSource.of(List.of(Path.of("rules.yaml")))).open()) {
 *   node.arbiter().decide(request);
 * }
 * }</pre>
 */
public final class Node implements AutoCloseable {
  private final Closer closer = new Closer();
  private final Store store;
  private final RequestLimiter limiter;
  private final Insights insights;
  private final DecisionEngine decisionEngine;
  private final ActivityHistory activityHistory;
  private final ReloadCounters reloadCounters;

  private Node(Builder builder) {
    closer.add(builder.feed::close);
    try {
      RuleSet rules = builder.feed.rules();
      this.store = Store.open(storeUrl(builder));
      closer.add(store::close);
      ConsistencyCheck.require(store, rules);
      this.limiter =
          RequestLimiter.builder(rules)
              .store(store)
              .time(builder.time)
              .maxKeys(builder.maxKeys)
              .descriptors(builder.descriptors)
              .build();
      this.insights = new Insights(builder.time, builder.isRecorded);
      closer.add(insights::close);
      this.decisionEngine =
          new DecisionEngine(
              limiter,
              new DecisionCounters(
                  builder.isWatched ? insights.decisionListener() : DecisionListener.NOBODY),
              builder.time,
              builder.decisionTracer);
      store.countFallbacksBy(
          () -> decisionEngine.decisionCounters().fallbacks(decisionEngine::rules));
      insights.aggregator().eachSecond(refusals(decisionEngine, insights)::second);
      this.activityHistory =
          new ActivityHistory(insights.aggregator(), decisionEngine, builder.time, store::health);
      this.reloadCounters = new ReloadCounters(builder.time);
      insights.start(decisionEngine);
      builder.feed.feed(rules, this::reload, reloadCounters, activityHistory.changes());
    } catch (RuntimeException | Error e) {
      closer.becauseOf(e);
      throw e;
    }
  }

  private static String storeUrl(Builder builder) {
    String url = StoreUrl.with(builder.storeTimeout, builder.store);
    return builder.data == null ? url : StoreUrl.with(builder.data, url);
  }

  private void reload(RuleSet changed) {
    ConsistencyCheck.require(store, changed);
    limiter.reload(changed);
  }

  /**
   * Builds a node with the rules of {@code feed}. The node closes the feed, also if it cannot be
   * opened.
   */
  public static Builder builder(RuleSource feed) {
    return new Builder(feed);
  }

  private static RefusalLog refusals(DecisionEngine decisionEngine, Insights insights) {
    return new RefusalLog(
        () -> decisionEngine.decisionCounters().rules(decisionEngine::rules),
        new ThrottledCallersText(insights)::by);
  }

  /** The decision path. */
  public DecisionEngine decisionEngine() {
    return decisionEngine;
  }

  /** Where buckets live. */
  public Store store() {
    return store;
  }

  /** The state of the store. */
  public StoreHealth health() {
    return store.health();
  }

  /** The rules in force. */
  public RuleSet rules() {
    return limiter.rules();
  }

  /** The top callers. */
  public Insights insights() {
    return insights;
  }

  /** The history of decisions and rule changes. */
  public ActivityHistory activityHistory() {
    return activityHistory;
  }

  /** The counters of rule changes. */
  public ReloadCounters reloadCounters() {
    return reloadCounters;
  }

  @Override
  public void close() {
    closer.all();
  }

  /** The settings of a node. */
  public static final class Builder {
    private final RuleSource feed;
    private String store = "memory";
    private Duration storeTimeout = Duration.ofMillis(10);
    private @Nullable Path data;
    private long maxKeys = RateLimiter.DEFAULT_MAX_KEYS;
    private DescriptorMode descriptors = DescriptorMode.DEFAULT;
    private TimeSource time = TimeSource.system();
    private @Nullable DecisionTracer decisionTracer;
    private boolean isWatched = true;
    private boolean isRecorded = true;

    private Builder(RuleSource feed) {
      this.feed = feed;
    }

    /** The URL of the store, as for {@link Store#open}; the default is memory. */
    public Builder store(String url) {
      store = url;
      return this;
    }

    /**
     * The timeout of a remote store; the default is 10 ms. A timeout in the URL takes precedence.
     */
    public Builder storeTimeout(Duration longest) {
      storeTimeout = longest;
      return this;
    }

    /**
     * The directory for state that survives a restart, created on first use. By default no state
     * survives.
     */
    public Builder data(@Nullable Path directory) {
      data = directory;
      return this;
    }

    /** The maximum number of keys with spent permits that each rule keeps apart in this process. */
    public Builder maxKeys(long most) {
      maxKeys = most;
      return this;
    }

    /** How requests of the Envoy form are checked. */
    public Builder descriptors(DescriptorMode mode) {
      descriptors = mode;
      return this;
    }

    /** The clock of a local store and of the history; the default is the system clock. */
    public Builder time(TimeSource source) {
      time = source;
      return this;
    }

    /** Is notified of each decision; the default is none. */
    public Builder follower(@Nullable DecisionTracer by) {
      decisionTracer = by;
      return this;
    }

    /**
     * Whether callers are tracked; the default is yes. Without it, keys exist only in the store,
     * and top callers are not available.
     */
    public Builder watched(boolean isWatched) {
      this.isWatched = isWatched;
      return this;
    }

    /**
     * Whether all callers are counted and their demand is recorded; the default is yes. Without it,
     * only callers that are refused or close to it are tracked, and normal requests cost nothing.
     */
    public Builder recorded(boolean isRecorded) {
      this.isRecorded = isRecorded;
      return this;
    }

    /**
     * Opens the node.
     *
     * @throws IllegalArgumentException if there is no such store
     */
    public Node open() {
      return new Node(this);
    }
  }
}
