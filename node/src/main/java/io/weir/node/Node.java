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
 * All that fronts stand on: rules that may change, a store, the decision path, and who watches it.
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

  /** A node by the rules of {@code feed}, which is closed with it, and if it cannot be opened. */
  public static Builder builder(RuleFeed feed) {
    return new Builder(feed);
  }

  private static Refusals refusals(Arbiter arbiter, Watch watch) {
    return new Refusals(() -> arbiter.tally().rules(arbiter::rules), new Throttled(watch)::by);
  }

  /** Who decides. */
  public Arbiter arbiter() {
    return arbiter;
  }

  /** Where buckets are kept. */
  public Store store() {
    return store;
  }

  /** How the store is. */
  public StoreHealth health() {
    return store.health();
  }

  /** The rules in force. */
  public RuleSet rules() {
    return limiter.rules();
  }

  /** Who looks on. */
  public Watch watch() {
    return watch;
  }

  /** What has happened so far. */
  public Past past() {
    return past;
  }

  /** How changes of the rules went. */
  public Reloads reloads() {
    return reloads;
  }

  @Override
  public void close() {
    closing.all();
  }

  /** What a node is opened with. */
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

    /** Where buckets are kept, as {@link Store#open} wants it; in memory unless set. */
    public Builder store(String url) {
      store = url;
      return this;
    }

    /** How long a store elsewhere may take; 10 ms unless set. The URL's own word goes before. */
    public Builder storeTimeout(Duration longest) {
      storeTimeout = longest;
      return this;
    }

    /**
     * The directory of what outlives a restart, made when first needed; nothing does unless set.
     */
    public Builder data(@Nullable Path directory) {
      data = directory;
      return this;
    }

    /** The most keys with something spent that each rule keeps apart in this process. */
    public Builder maxKeys(long most) {
      maxKeys = most;
      return this;
    }

    /** How questions of the Envoy form are answered. */
    public Builder descriptors(DescriptorMode mode) {
      descriptors = mode;
      return this;
    }

    /** The clock of a store in this process, and of what is seen; the system's unless set. */
    public Builder time(TimeSource source) {
      time = source;
      return this;
    }

    /** Is told of each decision; nobody unless set. */
    public Builder follower(@Nullable Follower by) {
      follower = by;
      return this;
    }

    /**
     * Whether anybody looks who is limited; somebody does unless set. Without, no key is known to
     * anybody but the store, and nothing can be told of callers.
     */
    public Builder watched(boolean isWatched) {
      this.isWatched = isWatched;
      return this;
    }

    /**
     * Whether all callers are counted, and what they ask for is recorded; it is unless set.
     * Without, only those are known who are refused, or near to that: what is usual costs nothing.
     */
    public Builder recorded(boolean isRecorded) {
      this.isRecorded = isRecorded;
      return this;
    }

    /**
     * Opens it.
     *
     * @throws IllegalArgumentException if there is no such store
     */
    public Node open() {
      return new Node(this);
    }
  }
}
