package io.weir.redis;

import io.weir.Buckets;
import io.weir.OnFailure;
import io.weir.Store;
import io.weir.StoreHealth;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Buckets in Redis: limits that hold across machines, in one round trip a decision.
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
 * <p>Limiters of the same name share their buckets, in whichever process they are. A store may be
 * opened before its Redis is there. One store serves all limiters and threads of a process; it has
 * a connection and a few threads, which {@link #close} ends.
 */
public final class RedisStore implements Store {
  private static final Duration LONGEST_START = Duration.ofSeconds(5);
  private static final Logger LOG = System.getLogger("io.weir.redis");

  private final RedisSettings settings;
  private final Clock clock;
  private final Counters counters = new Counters();
  private final Set<String> warned = ConcurrentHashMap.newKeySet();
  private final Timer timer = Timer.system("weir-redis-timer");
  private final Deadlines deadlines;
  private final Breakers breakers;
  private final Link link;
  private final Desk desk;
  private final Nodes nodes;
  private final Refusals refusals;
  private final LeaseDesk leases;

  private RedisStore(RedisSettings settings, Clock clock, @Nullable Timer sweeps) {
    this.settings = settings;
    this.clock = clock;
    Script probe = Script.of("probe");
    this.breakers = new Breakers(probe, settings.timeout(), timer);
    this.deadlines = new Deadlines(settings.timeout());
    try {
      this.link = Links.open(settings, () -> scripts(probe), breakers, this::warn);
    } catch (RuntimeException e) {
      deadlines.close();
      timer.close();
      throw e;
    }
    breakers.probeThrough(link);
    this.desk = new Desk(link, deadlines, counters);
    this.nodes = new Nodes(settings.prefix(), settings.leastNodes(), desk, timer);
    this.refusals = new Refusals(clock::nanos, settings.refusalMemory());
    this.leases =
        new LeaseDesk(
            settings,
            desk,
            clock,
            refusals,
            counters,
            nodes::count,
            sweeps == null ? timer : sweeps);
  }

  /**
   * Opens the store that {@code url} names; see {@link RedisSettings}. Waits until the first
   * attempt to connect has come to something. If it failed, limiters go by their {@link OnFailure}
   * until Redis is there.
   *
   * @throws IllegalArgumentException if the URL, or a file that it names, cannot be used
   */
  public static RedisStore open(String url) {
    return open(RedisSettings.parse(url));
  }

  /** {@link #open(String)} for settings. */
  public static RedisStore open(RedisSettings settings) {
    return open(settings, Clock.ofRedis());
  }

  static RedisStore open(RedisSettings settings, Clock clock) {
    return open(settings, clock, null);
  }

  /** {@link #open(RedisSettings, Clock)}, with another timer by which leases are looked through. */
  static RedisStore open(RedisSettings settings, Clock clock, @Nullable Timer sweeps) {
    RedisStore store = new RedisStore(settings, clock, sweeps);
    store.awaitConnection();
    return store;
  }

  private static List<Script> scripts(Script probe) {
    List<Script> all = Plan.scripts();
    all.add(probe);
    all.add(Nodes.SCRIPT);
    return all;
  }

  private void awaitConnection() {
    long deadline = System.nanoTime() + LONGEST_START.toNanos();
    Thread thread = Thread.currentThread();
    while (!breakers.areDecided() && System.nanoTime() < deadline && !thread.isInterrupted()) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** Once, however often we connect. */
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
  public Buckets open(Blueprint blueprint) {
    return new RedisBuckets(this, blueprint);
  }

  /** What the store has seen so far, and how it is. */
  public RedisStatus status() {
    return counters.snapshot(breakers.status(), nodes.count());
  }

  @Override
  public StoreHealth health() {
    return status().health();
  }

  @Override
  public void close() {
    leases.close();
    nodes.close();
    breakers.close();
    link.close();
    deadlines.close();
    timer.close();
  }

  Fallback fallback(Blueprint blueprint) {
    return blueprint.onFailure() == OnFailure.LOCAL
        ? new LocalShare(blueprint, nodes::count)
        : new FixedAnswer(blueprint, clock::epochMillis);
  }

  RedisSettings settings() {
    return settings;
  }

  Clock clock() {
    return clock;
  }

  Counters counters() {
    return counters;
  }

  Desk desk() {
    return desk;
  }

  LeaseDesk leaseDesk() {
    return leases;
  }

  Refusals refusals() {
    return refusals;
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
