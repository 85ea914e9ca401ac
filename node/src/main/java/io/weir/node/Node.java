package io.weir.node;

import io.weir.RateLimiter;
import io.weir.Store;
import io.weir.StoreHealth;
import io.weir.TimeSource;
import io.weir.arbiter.Arbiter;
import io.weir.arbiter.Follower;
import io.weir.arbiter.Refusals;
import io.weir.arbiter.Reloads;
import io.weir.arbiter.RuleFeed;
import io.weir.arbiter.Tally;
import io.weir.arbiter.Witness;
import io.weir.rules.DescriptorMode;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import io.weir.seeing.Past;
import io.weir.seeing.Throttled;
import io.weir.seeing.Watch;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The parts that all front ends share: rules that may change, a store, the decision path, and top
 * callers. Thread-safe.
 *
 * <pre>{@code
 * try (Node node = Node.builder(RuleFeed.of(List.of(Path.of("rules.yaml")))).open()) {
 *   node.arbiter().decide(request);
 * }
 * }</pre>
 */
public final class Node implements AutoCloseable {
  private final Closing closing = new Closing();
  private final Store store;
  private final RequestLimiter limiter;
  private final Watch watch;
  private final Arbiter arbiter;
  private final Past past;
  private final Reloads reloads;

  private Node(Builder builder) {
    closing.add(builder.feed::close);
    try {
      RuleSet rules = builder.feed.rules();
      this.store = Store.open(storeUrl(builder));
      closing.add(store::close);
      Promises.require(store, rules);
      this.limiter =
          RequestLimiter.builder(rules)
              .store(store)
              .time(builder.time)
              .maxKeys(builder.maxKeys)
              .descriptors(builder.descriptors)
              .build();
      this.watch = new Watch(builder.time, builder.isRecorded);
      closing.add(watch::close);
      this.arbiter =
          new Arbiter(
              limiter,
              new Tally(builder.isWatched ? watch.witness() : Witness.NOBODY),
              builder.time,
              builder.follower);
      store.countFallbacksBy(() -> arbiter.tally().fallbacks(arbiter::rules));
      watch.watchman().eachSecond(refusals(arbiter, watch)::second);
      this.past = new Past(watch.watchman(), arbiter, builder.time, store::health);
      this.reloads = new Reloads(builder.time);
      watch.start(arbiter);
      builder.feed.feed(rules, this::reload, reloads, past.changes());
    } catch (RuntimeException | Error e) {
      closing.becauseOf(e);
      throw e;
    }
  }

  private static String storeUrl(Builder builder) {
    String url = StoreUrl.with(builder.storeTimeout, builder.store);
    return builder.data == null ? url : StoreUrl.with(builder.data, url);
  }

  private void reload(RuleSet changed) {
    Promises.require(store, changed);
    limiter.reload(changed);
  }

  /**
   * Builds a node with the rules of {@code feed}. The node closes the feed, also if it cannot be
   * opened.
   */
  public static Builder builder(RuleFeed feed) {
    return new Builder(feed);
  }

  private static Refusals refusals(Arbiter arbiter, Watch watch) {
    return new Refusals(() -> arbiter.tally().rules(arbiter::rules), new Throttled(watch)::by);
  }

  /** The decision path. */
  public Arbiter arbiter() {
    return arbiter;
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
  public Watch watch() {
    return watch;
  }

  /** The history of decisions and rule changes. */
  public Past past() {
    return past;
  }

  /** The counters of rule changes. */
  public Reloads reloads() {
    return reloads;
  }

  @Override
  public void close() {
    closing.all();
  }

  /** The settings of a node. */
  public static final class Builder {
    private final RuleFeed feed;
    private String store = "memory";
    private Duration storeTimeout = Duration.ofMillis(10);
    private @Nullable Path data;
    private long maxKeys = RateLimiter.DEFAULT_MAX_KEYS;
    private DescriptorMode descriptors = DescriptorMode.DEFAULT;
    private TimeSource time = TimeSource.system();
    private @Nullable Follower follower;
    private boolean isWatched = true;
    private boolean isRecorded = true;

    private Builder(RuleFeed feed) {
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
    public Builder follower(@Nullable Follower by) {
      follower = by;
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
