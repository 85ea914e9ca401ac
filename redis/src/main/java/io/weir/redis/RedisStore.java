package io.weir.redis;

import io.weir.Buckets;
import io.weir.Consistency;
import io.weir.Decision;
import io.weir.Fallbacks;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.Store;
import io.weir.StoreHealth;
import io.weir.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store with buckets in Redis: limits across machines, with one round trip per decision.
 * Thread-safe.
 *
 * <pre>{@code
 * try (RedisStore store = RedisStore.open("redis://localhost:6379")) {
 *   RateLimiter api =
 *       RateLimiter.builder()
 *           .name("api")
 *           .limit(Limit.tokenBucket(10).perSecond().burst(100))
 *           .store(store)
 *           .onFailure(OnFailure.LOCAL)
 *           .build();
 * }
 * }</pre>
 *
 * <p>Limiters of the same name share their buckets, in any process. A store may be opened before
 * its Redis is available. One store serves all limiters and threads of a process. It has a
 * connection and a few threads, which {@link #close} ends.
 */
public final class RedisStore implements Store {
  private static final Duration MAX_SLOW_START = Duration.ofSeconds(10);
  private static final Duration MAX_START = Duration.ofSeconds(5);
  private static final Logger LOG = System.getLogger("io.weir.redis");

  /** A small write that tests whether Redis accepts writes. */
  static final Script PROBE = Script.of("probe");

  private final RedisSettings settings;
  private final Clock clock;
  private final RedisCounters redisCounters = new RedisCounters();
  private final Set<String> warned = ConcurrentHashMap.newKeySet();
  private final Timer timer = Timer.system("weir-redis-timer");
  private final Deadlines deadlines;
  private final OutageLog outages;
  private final ShardBreakers shardBreakers;
  private final RedisTransport redisTransport;
  private final CommandSender commandSender;
  private final NodeHeartbeat nodeHeartbeat;
  private final DenialCache denialCache;
  private final LeaseManager leases;
  private final Timer accountTimer;
  private final SyncManager accounts;
  private @Nullable StrictTransport strictTransport; // created for the first strict limiter
  private final long started;
  private boolean isClosed;

  private RedisStore(RedisSettings settings, Clock clock, @Nullable Timer sweeps) {
    this.settings = settings;
    this.clock = clock;
    this.started = clock.nanos();
    this.outages =
        new OutageLog(
            LOG,
            OutageLog.newWriter(),
            timer,
            clock::wallMicros,
            settings.toString(),
            redisCounters::fallbacks);
    this.shardBreakers = new ShardBreakers(PROBE, settings.timeout(), timer, outages);
    this.deadlines = new Deadlines(settings.timeout());
    try {
      this.redisTransport =
          TransportFactory.open(settings, RedisStore::scripts, shardBreakers, this::warn);
    } catch (RuntimeException e) {
      deadlines.close();
      timer.close();
      throw e;
    }
    shardBreakers.probeThrough(redisTransport);
    this.commandSender = new CommandSender(redisTransport, deadlines, redisCounters);
    this.nodeHeartbeat =
        new NodeHeartbeat(
            settings.prefix(),
            settings.leastNodes(),
            settings
                .state()
                .map(file -> new NodeCountFile(file, identity(settings), outages::say))
                .orElse(null),
            commandSender,
            timer,
            outages::say);
    this.denialCache = new DenialCache(clock::nanos, settings.refusalMemory());
    Timer sweeper = sweeps == null ? timer : sweeps;
    this.leases =
        new LeaseManager(
            settings,
            commandSender,
            clock,
            denialCache,
            redisCounters,
            nodeHeartbeat::count,
            sweeper);
    this.accountTimer = sweeps == null ? Timer.system("weir-redis-sync") : sweeps;
    this.accounts =
        new SyncManager(settings, commandSender, clock, redisCounters, accountTimer, sweeper);
  }

  /**
   * Opens the store at {@code url}; see {@link RedisSettings}. Blocks until the first connection
   * attempt has succeeded or failed. If it failed, limiters use their {@link OnFailure} until Redis
   * is available.
   *
   * @throws IllegalArgumentException if the URL, or a file in it, is invalid
   */
  public static RedisStore open(String url) {
    return open(RedisSettings.parse(url));
  }

  /** {@link #open(String)} with settings. */
  public static RedisStore open(RedisSettings settings) {
    return open(settings, Clock.ofRedis());
  }

  /**
   * {@link #open(RedisSettings)} with {@code wall} instead of the system's wall clock. Strict
   * limits compare it with Redis's clock on the first contact; it has no other use. Decisions in
   * this process use the time of their limiter.
   */
  public static RedisStore open(RedisSettings settings, TimeSource wall) {
    return open(settings, Clock.ofRedis(wall));
  }

  static RedisStore open(RedisSettings settings, Clock clock) {
    return open(settings, clock, null);
  }

  /** {@link #open(RedisSettings, Clock)} with another timer for sweeps of leases. */
  static RedisStore open(RedisSettings settings, Clock clock, @Nullable Timer sweeps) {
    RedisStore store = new RedisStore(settings, clock, sweeps);
    await(store.shardBreakers::areDecided);
    if (store.shardBreakers.areAllSound()) {
      store.nodeHeartbeat.sendUnlessReplied(); // an outage may begin before the next heartbeat
      await(store.nodeHeartbeat::isDecided);
    }
    return store;
  }

  /** Identifies the store to which a stored number of nodes belongs. */
  private static String identity(RedisSettings settings) {
    return settings + " " + settings.prefix();
  }

  private static List<Script> scripts() {
    List<Script> all = ScriptPlan.scripts();
    all.add(PROBE);
    all.add(NodeHeartbeat.SCRIPT);
    return all;
  }

  private static void await(BooleanSupplier isDecided) {
    long deadline = System.nanoTime() + MAX_START.toNanos();
    Thread thread = Thread.currentThread();
    while (!isDecided.getAsBoolean()
        && System.nanoTime() - deadline < 0
        && !thread.isInterrupted()) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** Only once, however often the store connects. */
  private void warn(ServerReport report) {
    if (report.mayEvict() && warned.add(report.server() + " " + report.policy())) {
      LOG.log(
          Level.WARNING,
          "{0} evicts keys when its memory is full (maxmemory-policy {1}): a bucket that is evicted"
              + " is a limit forgotten; set maxmemory-policy to noeviction",
          report.server(),
          report.policy());
    }
  }

  @Override
  public Buckets open(LimiterSpec limiterSpec) {
    return new RoutingBuckets(this, limiterSpec);
  }

  /**
   * Inspects the primary for a strict limiter, and waits for the result like {@link #open}. If the
   * primary is away, nothing is granted until it is back and can keep the guarantee.
   */
  @Override
  public void requireKept(Consistency promise, OnFailure policy) {
    if (isStrict(promise, policy)) {
      StrictTransport way = strictTransport();
      await(way::isDecided);
      String fault = way.fault();
      if (fault != null) {
        throw new IllegalArgumentException(
            "consistency '%s' cannot be kept: %s"
                .formatted(promise.name().toLowerCase(Locale.ROOT), fault));
      }
    }
  }

  /**
   * @throws IllegalArgumentException if a necessary setting is missing
   */
  synchronized StrictTransport strictTransport() {
    StrictTransport way = strictTransport;
    if (way == null) {
      StrictTransport.require(settings);
      if (isClosed) {
        throw new IllegalStateException("the store is closed");
      }
      way =
          new StrictTransport(
              settings,
              clock,
              RedisStore::scripts,
              deadlines,
              redisCounters,
              timer,
              outages,
              this::warn);
      strictTransport = way;
    }
    return way;
  }

  /** Whether nothing is granted before all replicas have it, and nothing in doubt. */
  boolean isStrict(LimiterSpec limiterSpec) {
    return isStrict(limiterSpec.consistency(), limiterSpec.onFailure());
  }

  private boolean isStrict(Consistency promise, OnFailure policy) {
    return StrictTransport.isFor(settings, promise, policy);
  }

  private synchronized @Nullable StrictTransport openStrictWay() {
    return strictTransport;
  }

  private synchronized void closeStrictWay() {
    isClosed = true;
    if (strictTransport != null) {
      strictTransport.close();
    }
  }

  /** The counts and the state of the store. */
  public RedisStatus status() {
    List<RedisStatus.Shard> shards = new ArrayList<>(shardBreakers.status());
    StrictTransport way = openStrictWay();
    if (way != null) {
      shards.addAll(way.status());
    }
    return redisCounters.snapshot(shards, nodeHeartbeat.count());
  }

  @Override
  public StoreHealth health() {
    return status().health(outages.outages());
  }

  @Override
  public void countFallbacksBy(Supplier<Fallbacks> decisions) {
    outages.countBy(decisions);
  }

  /** Counts a decision made without Redis. */
  Decision withoutRedis(LimiterSpec limiterSpec, Decision decision) {
    redisCounters.decidedWithoutRedis(limiterSpec, decision);
    outages.decided();
    return decision;
  }

  @Override
  public void close() {
    leases.close();
    accounts.close();
    nodeHeartbeat.close();
    outages.close();
    shardBreakers.close();
    redisTransport.close();
    closeStrictWay();
    deadlines.close();
    accountTimer.close();
    timer.close();
  }

  FallbackDecider fallback(LimiterSpec limiterSpec) {
    if (limiterSpec.onFailure() == OnFailure.LOCAL) {
      nodeHeartbeat.need();
      return new LocalShare(
          limiterSpec,
          nodeHeartbeat::count,
          nodeHeartbeat::isKnown,
          this::leftOfStart,
          clock::epochMillis);
    }
    return isStrict(limiterSpec)
        ? new FixedFallback(limiterSpec, clock::epochMillis, strictTransport()::left)
        : new FixedFallback(limiterSpec, clock::epochMillis, any -> Duration.ZERO);
  }

  /**
   * How long a process that started without Redis has no share: as long as anything counts that an
   * earlier process of this node may have spent. If Redis was only late, at most as long as it can
   * have been away.
   */
  private Duration leftOfStart(LimiterSpec limiterSpec) {
    NodeHeartbeat.Start start = nodeHeartbeat.start();
    if (start == NodeHeartbeat.Start.WITH_REDIS) {
      return Duration.ZERO;
    }
    Duration maxMemory = Duration.ZERO;
    for (Limit limit : limiterSpec.limits()) {
      maxMemory = limit.memory().compareTo(maxMemory) > 0 ? limit.memory() : maxMemory;
    }
    if (start == NodeHeartbeat.Start.SLOWLY && maxMemory.compareTo(MAX_SLOW_START) > 0) {
      maxMemory = MAX_SLOW_START;
    }
    Duration age = Duration.ofNanos(clock.nanos() - started);
    return age.compareTo(maxMemory) < 0 ? maxMemory.minus(age) : Duration.ZERO;
  }

  /**
   * Whether grants for {@code key} cannot be sent under {@code scriptPlan}; cheap while all is
   * well.
   */
  boolean isCut(ScriptPlan scriptPlan, String key) {
    return !shardBreakers.areAllSound() && !commandSender.isSound(scriptPlan.keys(key)[0]);
  }

  RedisSettings settings() {
    return settings;
  }

  Clock clock() {
    return clock;
  }

  RedisCounters redisCounters() {
    return redisCounters;
  }

  CommandSender commandSender() {
    return commandSender;
  }

  LeaseManager leaseManager() {
    return leases;
  }

  SyncManager syncManager() {
    return accounts;
  }

  DenialCache denialCache() {
    return denialCache;
  }

  @Override
  public String name() {
    return settings.toString();
  }

  @Override
  public String toString() {
    return "RedisStore[" + settings + "]";
  }
}
