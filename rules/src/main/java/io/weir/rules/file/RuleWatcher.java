package io.weir.rules.file;

import io.weir.rules.Problem;
import io.weir.rules.RuleSet;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads rule files and lookup tables again after each change. Thread-safe.
 *
 * <p>Invalid files never replace valid rules: their errors are reported once, and the rules in
 * force stay.
 *
 * <pre>{@code
 * RuleWatcher watcher = RuleWatcher.start(paths, new RuleWatcher.Listener() { ... });
 * }</pre>
 */
public final class RuleWatcher implements AutoCloseable {
  /*
   * The watcher polls the files a few times a second. It reads them when they have changed and then
   * stayed the same from one poll to the next. So it does not read a file halfway when an editor
   * empties it before writing, or writes it twice. Polling works with every way of installing
   * files: a rename, a symbolic link that is moved (as Kubernetes does it), a network file system.
   * A file notification service would miss some of them.
   */

  /** The default polling interval. */
  public static final Duration DEFAULT_INTERVAL = Duration.ofMillis(250);

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
  private static final System.Logger LOG = System.getLogger(RuleWatcher.class.getName());

  private final RuleInputs sources;
  private final Listener listener;
  private final CountDownLatch closed = new CountDownLatch(1);
  private Fingerprint read;
  private @Nullable Fingerprint changing;
  private List<Problem> reported = List.of();
  private volatile @Nullable Thread thread;

  /** A watcher without a thread, which polls only when called. */
  RuleWatcher(List<Path> paths, Listener listener, Instant now) {
    this(RuleInputs.of(paths), listener, now);
  }

  private RuleWatcher(RuleInputs sources, Listener listener, Instant now) {
    this.sources = sources;
    this.listener = Objects.requireNonNull(listener, "listener");
    this.read = Fingerprint.of(List.of(), now);
    read(now);
  }

  /**
   * Watches the files and directories {@code paths}. The listener receives the current rules before
   * this returns, and later changes on a thread of the watcher.
   */
  public static RuleWatcher start(List<Path> paths, Listener listener) {
    return start(paths, listener, DEFAULT_INTERVAL);
  }

  /** Watches, and polls the files once per {@code interval}. */
  public static RuleWatcher start(List<Path> paths, Listener listener, Duration interval) {
    return start(RuleInputs.of(paths), listener, interval);
  }

  /** Watches the files of {@code sources}, and combines their rules with its other rules. */
  public static RuleWatcher start(RuleInputs sources, Listener listener) {
    return start(sources, listener, DEFAULT_INTERVAL);
  }

  private static RuleWatcher start(RuleInputs sources, Listener listener, Duration interval) {
    RuleWatcher watcher = new RuleWatcher(sources, listener, Instant.now());
    Thread thread = new Thread(() -> watcher.run(interval), "weir-rule-watcher");
    thread.setDaemon(true);
    watcher.thread = thread;
    thread.start();
    return watcher;
  }

  private void run(Duration interval) {
    try {
      while (!closed.await(interval.toNanos(), TimeUnit.NANOSECONDS)) {
        try {
          poll(Instant.now());
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
          // A failed reload must not end the watching.
          LOG.log(System.Logger.Level.ERROR, "the rules could not be reloaded", e);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // interrupted to end the thread
    }
  }

  /**
   * Reads the files now, changed or not, and reports the result before this returns. Errors that
   * were reported before are reported again.
   */
  public void reload() {
    reload(Instant.now());
  }

  private synchronized void reload(Instant now) {
    changing = null;
    reported = List.of();
    read(now);
  }

  /** Polls the files, and reads them if they have changed and are stable. */
  synchronized void poll(Instant now) {
    Fingerprint present = Fingerprint.of(read.paths(), now);
    if (!present.differsFrom(read)) {
      changing = null;
    } else if (changing == null || present.differsFrom(changing)) {
      changing = present;
    } else {
      changing = null;
      read(now);
    }
  }

  private void read(Instant now) {
    // Each file's state is recorded before it is opened, so a change during the read is seen at the
    // next poll.
    Fingerprint before = Fingerprint.of(sources.paths(), now);
    Reading reading = RuleFiles.read(sources, before::add);
    read = before;
    report(reading);
  }

  private void report(Reading reading) {
    if (closed.getCount() == 0) {
      return; // closed while the file system was blocked
    }
    List<Problem> problems = new ArrayList<>(reading.problems());
    if (problems.isEmpty()) {
      reported = List.of();
      listener.changed(reading.rules().orElseThrow());
    } else if (!problems.equals(reported)) {
      reported = problems;
      listener.rejected(problems);
    }
  }

  /**
   * Stops watching. Waits up to two seconds for a running call of the listener, or for a file
   * system that does not respond. A slower listener may still be running when this returns, but is
   * not called again.
   */
  @Override
  public void close() {
    closed.countDown();
    Thread running = thread;
    if (running == null || running == Thread.currentThread()) {
      return;
    }
    try {
      running.join(CLOSE_TIMEOUT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // do not delay the caller any longer
    }
  }

  /** Receives the result of each change. */
  public interface Listener {
    /** The files have changed and are valid. */
    void changed(RuleSet rules);

    /** The files have changed and are invalid: the rules in force should stay. */
    void rejected(List<Problem> problems);
  }
}
