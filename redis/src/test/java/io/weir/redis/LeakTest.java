package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.RateLimiter;
import io.weir.rig.Await;
import io.weir.rig.FaultyProxy;
import io.weir.rig.FaultyProxy.Fault;
import io.weir.rig.RedisProcess;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Opened and closed, broken and mended, again and again: nothing is left behind. */
@Tag("slow")
@Timeout(2400)
class LeakTest {
  private static final int WARM_UP = 3;
  private static ResourceLeakDetector.Level before;
  private static RedisProcess redis;

  private final List<String> lost = new CopyOnWriteArrayList<>();

  /** How often; a thousand times in a soak. */
  int cycles() {
    return 15;
  }

  @BeforeAll
  static void start() {
    before = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    redis = RedisProcess.start();
  }

  @AfterAll
  static void stop() {
    ResourceLeakDetector.setLevel(before);
    redis.close();
  }

  /** Netty would only log it. */
  @BeforeEach
  void listenForLostBuffers() throws ReflectiveOperationException {
    Field detector =
        Class.forName("io.netty.buffer.AbstractByteBuf").getDeclaredField("leakDetector");
    detector.setAccessible(true);
    ((ResourceLeakDetector<?>) detector.get(null))
        .setLeakListener((what, where) -> lost.add(what + ": " + where));
  }

  @AfterEach
  void noBufferWasLost() {
    // What is lost is noticed when it is collected, and said at the next allocation.
    for (int i = 0; i < 3; i++) {
      System.gc();
      ByteBufAllocator.DEFAULT.directBuffer(64).release();
      PooledByteBufAllocator.DEFAULT.directBuffer(64).release();
    }
    assertThat(lost).isEmpty();
  }

  private static RedisSettings settings(int port) {
    return RedisSettings.parse("redis://127.0.0.1:" + port)
        .withLeastNodes(1) // on_failure: local decides also if Redis is away from the start
        .withConnectTimeout(Duration.ofMillis(200));
  }

  private static RateLimiter limiter(RedisStore store) {
    return RateLimiter.builder()
        .store(store)
        .name("leak")
        .limit(Limit.tokenBucket(1_000_000).perSecond())
        .onFailure(OnFailure.LOCAL)
        .build();
  }

  /** Starts some checks, and does not wait for them. */
  private static List<CompletableFuture<Decision>> check(RateLimiter limiter, int checks) {
    List<CompletableFuture<Decision>> futures = new ArrayList<>();
    for (int i = 0; i < checks; i++) {
      futures.add(limiter.async().check("key-" + i % 50).toCompletableFuture());
    }
    return futures;
  }

  private static void allEnd(List<CompletableFuture<Decision>> futures) throws Exception {
    CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
  }

  @Test
  void leaksNothingAfterClose() throws Exception {
    cycle(
        "open/close",
        () -> {
          try (RedisStore store = RedisStore.open(settings(redis.port()))) {
            allEnd(check(limiter(store), 100));
            assertThat(limiter(store).check("key").allowed()).isTrue();
          }
        });
  }

  /** Closed while calls are under way: they end. */
  @Test
  void leaksNothingWhenClosedDuringCalls() throws Exception {
    cycle(
        "close in flight",
        () -> {
          List<CompletableFuture<Decision>> futures;
          try (RedisStore store = RedisStore.open(settings(redis.port()))) {
            futures = check(limiter(store), 500);
          }
          allEnd(futures);
        });
  }

  @Test
  void leaksNothingWithoutRedis() throws Exception {
    RedisProcess gone = RedisProcess.start();
    gone.kill();
    try (gone) {
      cycle(
          "open without",
          () -> {
            try (RedisStore store = RedisStore.open(settings(gone.port()))) {
              // An earlier process of this node may have spent the local share.
              assertThat(limiter(store).check("key").origin()).isEqualTo(Origin.FAILURE);
              allEnd(check(limiter(store), 100));
            }
          });
    }
  }

  /** Closed while it waits for the first reply of a server that only accepts connections. */
  @Test
  void leaksNothingWhenClosedWhileConnecting() throws Exception {
    try (FaultyProxy proxy = new FaultyProxy(redis.port())) {
      proxy.door(FaultyProxy.AcceptMode.BRICKED_UP);
      cycle(
          "close connecting",
          () -> {
            RedisSettings settings =
                settings(proxy.port()).withConnectTimeout(Duration.ofMillis(20));
            try (RedisStore store = RedisStore.open(settings)) {
              allEnd(check(limiter(store), 100));
            }
            proxy.drop();
          });
    }
  }

  /** Closed while Redis hangs, with calls that wait for it. */
  @Test
  void leaksNothingWhenClosedWhileRedisHangs() throws Exception {
    try (FaultyProxy proxy = new FaultyProxy(redis.port())) {
      cycle(
          "close while hung",
          () -> {
            List<CompletableFuture<Decision>> futures;
            try (RedisStore store = RedisStore.open(settings(proxy.port()))) {
              awaitRedis(limiter(store));
              proxy.both(Fault.STALL);
              futures = check(limiter(store), 500);
            }
            proxy.heal();
            allEnd(futures);
          });
    }
  }

  /** One store; its connection is reset, or orphaned, or hangs, and it recovers. */
  @Test
  void leaksNothingAfterReconnects() throws Exception {
    try (FaultyProxy proxy = new FaultyProxy(redis.port());
        RedisStore store = RedisStore.open(settings(proxy.port()))) {
      RateLimiter limiter = limiter(store);
      awaitRedis(limiter);
      cycle(
          "break/mend",
          () -> {
            List<CompletableFuture<Decision>> futures = new ArrayList<>(check(limiter, 200));
            proxy.drop();
            futures.addAll(check(limiter, 200));
            awaitRedis(limiter);
            futures.addAll(check(limiter, 200));
            proxy.both(Fault.STALL);
            futures.addAll(check(limiter, 200));
            allEnd(futures);
            proxy.heal();
            awaitRedis(limiter);
          });
      Await.holds("old connections are gone", () -> proxy.connections() <= 2);
    }
  }

  private static void awaitRedis(RateLimiter limiter) {
    Await.holds("Redis decides", () -> limiter.check("key").origin() == Origin.STORE);
  }

  /** A test of one cycle. */
  @FunctionalInterface
  private interface Cycle {
    void run() throws Exception;
  }

  private void cycle(String name, Cycle cycle) throws Exception {
    for (int i = 0; i < WARM_UP; i++) {
      cycle.run();
    }
    Belongings atFirst = Belongings.now();
    long start = System.nanoTime();
    for (int i = 0; i < cycles(); i++) {
      cycle.run();
    }
    long millis = (System.nanoTime() - start) / 1_000_000;
    System.out.printf("   %-18s %d cycles in %d ms; before: %s%n", name, cycles(), millis, atFirst);
    Await.holds(
        () -> "back to " + atFirst + ", but is " + Belongings.now() + ": " + openFiles(),
        Duration.ofSeconds(60),
        () -> Belongings.now().isNoMoreThan(atFirst));
    System.out.printf("   %-18s after: %s%n", name, Belongings.now());
  }

  /** The open files, where the system lists them. */
  private static Map<String, Long> openFiles() {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return files
          .map(LeakTest::target)
          .collect(Collectors.groupingBy(name -> name, TreeMap::new, Collectors.counting()));
    } catch (IOException unknown) {
      return Map.of();
    }
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString().replaceAll("[0-9]+", "N");
    } catch (IOException closedMeanwhile) {
      return "closed";
    }
  }

  /** The test of the test: a forgotten buffer is found. */
  @Test
  void aBufferThatIsForgottenIsNoticed() {
    Await.holds(
        "noticed",
        () -> {
          ByteBufAllocator.DEFAULT.directBuffer(64).writeByte(1);
          System.gc();
          return !lost.isEmpty();
        });
    lost.clear();
  }

  @Test
  void aClosedStoreIsForgotten() {
    List<WeakReference<RedisStore>> stores = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      RedisStore store = RedisStore.open(settings(redis.port()));
      limiter(store).check("key");
      store.close();
      stores.add(new WeakReference<>(store));
      store = null;
    }
    Await.holds(
        "at most one is held, by somebody's last thoughts",
        () -> {
          System.gc();
          return stores.stream().filter(store -> store.get() != null).count() <= 1;
        });
  }

  /** What the process has. */
  private record Belongings(Set<String> threads, long files, long buffers, long direct) {
    /** Some is allocated in advance, in chunks of this size. */
    private static final long SLACK = 8L << 20;

    static Belongings now() {
      UnixOperatingSystemMXBean system =
          (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
      long direct =
          ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
              .filter(pool -> pool.getName().equals("direct"))
              .mapToLong(BufferPoolMXBean::getMemoryUsed)
              .sum();
      long buffers =
          ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric().usedDirectMemory()
              + PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
      Set<String> threads =
          Thread.getAllStackTraces().keySet().stream()
              .filter(thread -> !thread.getName().startsWith("proxy"))
              .map(thread -> thread.getName() + "#" + thread.getId())
              .collect(Collectors.toCollection(TreeSet::new));
      return new Belongings(threads, system.getOpenFileDescriptorCount(), buffers, direct);
    }

    /** Threads come and go in a pool: it is their number that counts. */
    boolean isNoMoreThan(Belongings before) {
      return threads.size() <= before.threads.size()
          && files <= before.files + 4
          && buffers <= before.buffers + SLACK
          && direct <= before.direct + SLACK;
    }

    @Override
    public String toString() {
      return threads.size()
          + (" threads, " + files + " files, " + (buffers >> 10) + " KiB of buffers, ")
          + ((direct >> 10) + " KiB direct");
    }
  }
}
