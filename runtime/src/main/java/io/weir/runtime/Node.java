package io.weir.runtime;

import io.weir.RateLimiter;
import io.weir.Store;
import io.weir.StoreHealth;
import io.weir.TimeSource;
import io.weir.decision.DecisionCounters;
import io.weir.decision.DecisionEngine;
import io.weir.decision.DecisionTracer;
import io.weir.decision.RefusalLog;
import io.weir.decision.ReloadCounters;
import io.weir.decision.RuleSource;
import io.weir.decision.RuleSource.RuleChangeListener;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import io.weir.rules.envoy.DescriptorMode;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The parts that all front ends share: rules that may change, a store, the decision path, and a
 * thread for periodic work. Thread-safe.
 *
 * <pre>{@code
 * try (Node node = Node.builder(RuleSource.of(List.of(Path.of("rules.yaml")))).open()) {
 *   node.decisionEngine().decide(request);
 * }
 * }</pre>
 */
public final class Node implements AutoCloseable {
  private final Closer closer = new Closer();
  private final Store store;
  private final RequestLimiter limiter;
  private final DecisionEngine decisionEngine;
  private final BackgroundThread backgroundThread;
  private final ReloadCounters reloadCounters;

  private Node(Builder builder) {
    closer.add(RecordMethodCache::release); // last, when no other record is compared
    closer.add(builder.ruleSource::close);
    try {
      RuleSet rules = builder.ruleSource.rules();
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
      NodeObserver observer = builder.observer;
      closer.add(observer::close);
      this.backgroundThread = new BackgroundThread(builder.time);
      closer.add(backgroundThread::close);
      this.decisionEngine =
          new DecisionEngine(
              limiter,
              new DecisionCounters(observer.decisionListener()),
              builder.time,
              builder.decisionTracer);
      store.countFallbacksBy(
          () -> decisionEngine.decisionCounters().fallbacks(decisionEngine::rules));
      backgroundThread.eachSecond(refusalLog(observer)::second);
      this.reloadCounters = new ReloadCounters(builder.time);
      RuleChangeListener changes =
          observer.start(decisionEngine, backgroundThread, builder.time, store::health);
      backgroundThread.start();
      builder.ruleSource.feed(rules, this::reload, reloadCounters, changes);
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
   * Builds a node with the rules of {@code ruleSource}. The node closes the source, even if opening
   * fails.
   */
  public static Builder builder(RuleSource ruleSource) {
    return new Builder(ruleSource);
  }

  private RefusalLog refusalLog(NodeObserver observer) {
    return new RefusalLog(
        () -> decisionEngine.decisionCounters().rules(decisionEngine::rules),
        observer::refusedCallers);
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

  /** The thread for periodic work. */
  public BackgroundThread backgroundThread() {
    return backgroundThread;
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
    private final RuleSource ruleSource;
    private String store = "memory";
    private Duration storeTimeout = Duration.ofMillis(10);
    private @Nullable Path data;
    private long maxKeys = RateLimiter.DEFAULT_MAX_KEYS;
    private DescriptorMode descriptors = DescriptorMode.DEFAULT;
    private TimeSource time = TimeSource.system();
    private @Nullable DecisionTracer decisionTracer;
    private NodeObserver observer = NodeObserver.NONE;

    private Builder(RuleSource ruleSource) {
      this.ruleSource = ruleSource;
    }

    /** The URL of the store, as for {@link Store#open}; the default is memory. */
    public Builder store(String url) {
      store = url;
      return this;
    }

    /**
     * The timeout of a remote store; the default is 10 ms. A timeout in the URL takes precedence.
     */
    public Builder storeTimeout(Duration timeout) {
      storeTimeout = timeout;
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
    public Builder maxKeys(long max) {
      maxKeys = max;
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

    /** Traces each decision; the default is no tracer. */
    public Builder follower(@Nullable DecisionTracer tracer) {
      decisionTracer = tracer;
      return this;
    }

    /** Observes this node only, and is closed with it; the default observes nothing. */
    public Builder observer(NodeObserver nodeObserver) {
      observer = nodeObserver;
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
