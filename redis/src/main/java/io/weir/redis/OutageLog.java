package io.weir.redis;

import io.weir.Fallbacks;
import io.weir.StoreHealth;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Records the outages of one store: their log lines, and the last hundred of them. Thread-safe.
 *
 * <p>Breakers report while they hold their locks. So this class never calls a breaker method that
 * takes its lock, and writes lines on another thread.
 */
final class OutageLog implements AutoCloseable {
  /*
   * An outage begins when the first shard fails, and ends when all have been back for a second.
   * Failures in between belong to the same outage. So a shard that replies only to probes is one
   * outage, not a thousand. If outages come within a minute of each other, the shards must have
   * been back for 1, 2, 4 ... 64 s. So lines become rarer, but none is lost.
   *
   * There is a line at the beginning, one a minute during the outage, and one with the sum at the
   * end. The second of waiting has another purpose: by then all decisions in progress are counted,
   * so the sum equals that of the metrics.
   *
   * Each decision without the store is in exactly one sum, which counts all decisions since the
   * previous sum. Decisions outside outages, such as single timeouts, are summed up a minute after
   * the first of them.
   *
   *     decisions   . .  . ......|.......|.... .             . .
   *     lines       ---- minute -X--min--X--end ------------ minute ---
   */
  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();
  private static final int MAX_DOUBLINGS = 6;
  private static final int MAX_OUTAGES = 100;
  private static final int MAX_NAMES = 5;

  private final System.Logger log;
  private final Executor writer;
  private final Timer timer;
  private final LongSupplier wallMicros;
  private final String store;
  private volatile Supplier<Fallbacks> decisions;
  // there are decisions without the store that no line has reported
  private volatile boolean isWatching;

  // Guarded by this.
  private final Map<ShardBreaker, Trouble> troubles = new LinkedHashMap<>();
  private final Deque<StoreHealth.Outage> past = new ArrayDeque<>();
  private @Nullable Ongoing ongoing;
  private Fallbacks summed = Fallbacks.NONE;
  private long watchedSince;
  private long lastEnd;
  private boolean hasEnded;
  private int doublings;
  private boolean isTicking;
  private boolean isClosed;

  /**
   * @param writer writes the lines on another thread: a log may be slow, and the reporting thread
   *     also ends calls at their deadlines
   * @param decisions all decisions made without the store so far
   */
  OutageLog(
      System.Logger log,
      Executor writer,
      Timer timer,
      LongSupplier wallMicros,
      String store,
      Supplier<Fallbacks> decisions) {
    this.log = log;
    this.writer = writer;
    this.timer = timer;
    this.wallMicros = wallMicros;
    this.store = store;
    this.decisions = decisions;
  }

  /** A daemon thread that exists while there are lines to write, and a second longer. */
  static Executor newWriter() {
    return new ThreadPoolExecutor(
        0,
        1,
        1,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        work -> {
          Thread daemon = new Thread(work, "weir-redis-log");
          daemon.setDaemon(true);
          return daemon;
        });
  }

  /** Sets the source of the decision counts. */
  void countBy(Supplier<Fallbacks> counter) {
    decisions = counter;
  }

  /** A decision is made without the store. */
  void decided() {
    if (!isWatching) {
      watch();
    }
  }

  private synchronized void watch() {
    if (!isWatching && !isClosed) {
      isWatching = true;
      watchedSince = timer.nanoTime();
      tickSoon();
    }
  }

  /**
   * A shard does not decide, or fails in another way than before.
   *
   * @param fault what is wrong, as in {@code cannot be reached}
   * @param sinceNanos when it decided last, by the timer
   */
  synchronized void failed(
      ShardBreaker shard, boolean isDown, String fault, String reason, long sinceNanos) {
    Trouble trouble = new Trouble(isDown, fault + " (" + reason + ")");
    boolean isFresh = troubles.put(shard, trouble) == null;
    if (isClosed || !shard.hasKeys()) {
      return;
    }
    Ongoing outage = ongoing;
    if (outage == null) {
      outage = begin(shard, trouble, sinceNanos);
      write(Level.WARNING, "Redis " + shard + " " + trouble.problem + ": " + byWhat(isDown));
    } else if (isFresh) {
      outage.failures++;
      outage.shards.add(shard.toString());
    }
    outage.isBack = false;
    outage.isDownAtWorst |= isDown;
    outage.latest = trouble;
  }

  private static String byWhat(boolean isDown) {
    return isDown
        ? "decisions by on_failure until it answers"
        : "what it does not decide is decided by on_failure";
  }

  private Ongoing begin(ShardBreaker shard, Trouble trouble, long sinceNanos) {
    long now = timer.nanoTime();
    long agoMicros = Math.max(0, now - sinceNanos) / 1000;
    Ongoing outage = new Ongoing(shard.toString(), trouble, sinceNanos, at(agoMicros));
    ongoing = outage;
    outage.lastLine = now;
    doublings = hasEnded && now - lastEnd < MINUTE ? Math.min(MAX_DOUBLINGS, doublings + 1) : 0;
    isWatching = true;
    tickSoon();
    return outage;
  }

  private Instant at(long agoMicros) {
    long micros = wallMicros.getAsLong() - agoMicros;
    return Instant.ofEpochSecond(
        Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000);
  }

  /**
   * A shard is back, or replies for the first time.
   *
   * @param wasThere whether it has replied before
   */
  synchronized void recovered(ShardBreaker shard, boolean wasThere) {
    troubles.remove(shard);
    Ongoing outage = ongoing;
    if (outage != null) {
      outage.wasThere |= wasThere;
      lookWhetherBack(outage);
    }
  }

  /** A shard was removed. */
  synchronized void removed(ShardBreaker shard) {
    boolean wasMissed = troubles.remove(shard) != null;
    Ongoing outage = ongoing;
    if (outage != null && wasMissed) {
      outage.isReplaced = true;
      lookWhetherBack(outage);
    }
  }

  /** After a failover the old primary has no keys, so no decision depends on it any more. */
  private void lookWhetherBack(Ongoing outage) {
    boolean isBack = troubles.keySet().stream().noneMatch(ShardBreaker::hasKeys);
    if (isBack && !outage.isBack) {
      outage.backSince = timer.nanoTime();
      outage.isReplaced |= !troubles.isEmpty();
    }
    outage.isBack = isBack;
  }

  private void tickSoon() {
    if (!isTicking && !isClosed) {
      isTicking = true;
      timer.after(SECOND, this::tick);
    }
  }

  private synchronized void tick() {
    isTicking = false;
    if (isClosed) {
      return;
    }
    long now = timer.nanoTime();
    Ongoing outage = ongoing;
    if (outage != null) {
      lookWhetherBack(outage);
      if (outage.isBack && now - outage.backSince >= SECOND << doublings) {
        end(outage);
      } else if (now - outage.lastLine >= MINUTE) {
        outage.lastLine = now;
        write(Level.WARNING, outage.still(now) + sum(decisions.get().since(summed)));
      }
    } else if (isWatching && now - watchedSince >= MINUTE) {
      sumUpOthers();
    }
    if (ongoing != null || isWatching) {
      tickSoon();
    }
  }

  private void end(Ongoing outage) {
    StoreHealth.Outage ended = summary(outage, takeSum());
    past.addLast(ended);
    if (past.size() > MAX_OUTAGES) {
      past.removeFirst();
    }
    ongoing = null;
    lastEnd = timer.nanoTime();
    hasEnded = true;
    write(Level.INFO, outage.over() + sum(ended.decisions()));
  }

  /** Decisions counted during this call trigger another notice, or are in the next sum. */
  private Fallbacks takeSum() {
    isWatching = false;
    Fallbacks all = decisions.get();
    Fallbacks sum = all.since(summed);
    summed = all;
    return sum;
  }

  private void sumUpOthers() {
    Fallbacks others = takeSum();
    if (others.all() > 0) {
      write(Level.WARNING, store + " was not down in the last 60 s, but late: " + sum(others));
    }
  }

  private StoreHealth.Outage summary(Ongoing outage, Fallbacks made) {
    long backMicros = Math.max(0, timer.nanoTime() - outage.backSince) / 1000;
    return new StoreHealth.Outage(
        outage.began,
        outage.isBack ? Optional.of(at(backMicros)) : Optional.empty(),
        outage.isDownAtWorst ? StoreHealth.State.DOWN : StoreHealth.State.DEGRADED,
        outage.subject(),
        outage.latest.problem,
        made);
  }

  /** The last outages, the oldest first; the last one may be in progress. */
  synchronized List<StoreHealth.Outage> outages() {
    List<StoreHealth.Outage> all = new ArrayList<>(past);
    Ongoing outage = ongoing;
    if (outage != null) {
      all.add(summary(outage, decisions.get().since(summed)));
    }
    return all;
  }

  /** Writes a warning, on the writer's thread. */
  void say(String warning) {
    write(Level.WARNING, warning);
  }

  private void write(Level level, String line) {
    writer.execute(() -> log.log(level, line));
  }

  /** Ends the log: open sums are written now. */
  @Override
  public synchronized void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    Ongoing outage = ongoing;
    if (outage != null) {
      String state = outage.isBack ? outage.over() : outage.still(timer.nanoTime());
      write(Level.INFO, state + sum(takeSum()) + "; the store is closed");
      ongoing = null;
    } else if (isWatching) {
      sumUpOthers();
    }
  }

  /**
   * {@code 4,330 rule decisions without it: 4,100 allowed, 230 refused; rules api 4,000, login 330}
   */
  private static String sum(Fallbacks made) {
    boolean isByRule = made.counted().equals("rule");
    if (made.all() == 0) {
      return "no decision was made without it";
    }
    StringBuilder text = new StringBuilder(number(made.all()));
    text.append(isByRule ? " rule decision" : " decision").append(made.all() == 1 ? "" : "s");
    text.append(" without it: ").append(number(made.allowed())).append(" allowed, ");
    text.append(number(made.refused())).append(" refused");
    if (made.errors() > 0) {
      text.append(", ").append(number(made.errors())).append(" returned 503");
    }
    if (made.wouldRefuse() > 0) {
      text.append(", ").append(number(made.wouldRefuse())).append(" would be refused");
    }
    return text.append(names(made)).toString();
  }

  private static String names(Fallbacks made) {
    List<Map.Entry<String, Long>> largest =
        made.byName().entrySet().stream()
            .sorted(
                Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                    .thenComparing(Map.Entry.comparingByKey()))
            .toList();
    if (largest.isEmpty()) {
      return "";
    }
    StringBuilder text = new StringBuilder("; ").append(made.counted());
    text.append(largest.size() == 1 ? " " : "s ");
    int shown = Math.min(MAX_NAMES, largest.size());
    for (int i = 0; i < shown; i++) {
      text.append(i == 0 ? "" : ", ").append(largest.get(i).getKey());
      text.append(' ').append(number(largest.get(i).getValue()));
    }
    return shown == largest.size()
        ? text.toString()
        : text.append(" and ").append(largest.size() - shown).append(" more").toString();
  }

  private static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  /** The problem of a shard: {@code cannot be reached (Connection refused)}. */
  private record Trouble(boolean isDown, String problem) {}

  /** An outage in progress. */
  private static final class Ongoing {
    private final Set<String> shards = new LinkedHashSet<>();
    private final String first;
    private final long beganNanos;
    private final Instant began;
    private Trouble latest;
    private int failures = 1;
    private long lastLine;
    private long backSince;
    private boolean isBack;
    private boolean isReplaced;
    private boolean isDownAtWorst;
    private boolean wasThere;

    Ongoing(String first, Trouble latest, long beganNanos, Instant began) {
      this.first = first;
      this.latest = latest;
      this.beganNanos = beganNanos;
      this.began = began;
      shards.add(first);
    }

    String subject() {
      int more = shards.size() - 1;
      return more == 0 ? first : first + " and " + more + " more";
    }

    String still(long now) {
      String howLong = DurationWords.duration(Duration.ofNanos(now - beganNanos));
      String state = latest.isDown ? "down" : "degraded";
      return isBack
          ? "Redis %s answers now, but failed %s in the last %s: "
              .formatted(subject(), times(failures), howLong)
          : "Redis %s still %s for %s, %s: ".formatted(subject(), state, howLong, latest.problem);
    }

    String over() {
      String howLong = DurationWords.duration(Duration.ofNanos(backSince - beganNanos));
      String often = failures == 1 ? "" : ", in which it failed " + times(failures);
      String what = isReplaced ? "is replaced" : wasThere ? "answers again" : "answers";
      return "Redis %s %s after %s%s: ".formatted(subject(), what, howLong, often);
    }

    private static String times(int count) {
      return count == 1 ? "once" : number(count) + " times";
    }
  }
}
