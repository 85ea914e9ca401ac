package io.weir.rules.file;

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
 * Reads rule files again whenever they change, lookup tables included.
 *
 * <p>Files that are wrong never replace rules that are right: they are reported, once, and the
 * rules in force stay.
 *
 * <pre>{@code
 * RuleWatcher watcher = RuleWatcher.start(paths, new RuleWatcher.Listener() { ... });
 * }</pre>
 */
public final class RuleWatcher implements AutoCloseable {
  /*
   * It looks at the files a few times a second, and reads them when they have changed and then stood
   * still from one look to the next: so an editor that empties a file before it writes it, or that
   * writes it twice, is not caught halfway. Looking works with whatever puts files there: a rename,
   * a symbolic link that is turned (as Kubernetes does it), a network file system, where a service
   * that notifies of changes would miss some of them.
   */

  /** How often files are looked at unless said otherwise. */
  public static final Duration DEFAULT_INTERVAL = Duration.ofMillis(250);

  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(2);
  private static final System.Logger LOG = System.getLogger(RuleWatcher.class.getName());

  private final RuleSources sources;
  private final Listener listener;
  private final CountDownLatch closed = new CountDownLatch(1);
  private Fingerprint read;
  private @Nullable Fingerprint changing;
  private List<Problem> reported = List.of();
  private volatile @Nullable Thread thread;

  /** A watcher without a thread: it looks when it is told to. */
  RuleWatcher(List<Path> paths, Listener listener, Instant now) {
    this(RuleSources.of(paths), listener, now);
  }

  private RuleWatcher(RuleSources sources, Listener listener, Instant now) {
    this.sources = sources;
    this.listener = Objects.requireNonNull(listener, "listener");
    this.read = Fingerprint.of(List.of(), now);
    read(now);
  }

  /**
   * Watches the files and directories {@code paths}. The listener is told of what they are now
   * before this returns, and from then on of changes, by a thread of the watcher's.
   */
  public static RuleWatcher start(List<Path> paths, Listener listener) {
    return start(paths, listener, DEFAULT_INTERVAL);
  }

  /** Watches, and looks at the files once in each {@code interval}. */
  public static RuleWatcher start(List<Path> paths, Listener listener, Duration interval) {
    return start(RuleSources.of(paths), listener, interval);
  }

  /** Watches the files of {@code sources}, whose rules go together with all that is in it. */
  public static RuleWatcher start(RuleSources sources, Listener listener) {
    return start(sources, listener, DEFAULT_INTERVAL);
  }

  private static RuleWatcher start(RuleSources sources, Listener listener, Duration interval) {
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
          look(Instant.now());
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
          // A reload that fails is no reason to see no more changes.
          LOG.log(System.Logger.Level.ERROR, "the rules could not be reloaded", e);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // somebody wants the thread to end
    }
  }

  /**
   * Reads the files now, changed or not, and reports what came of it before this returns; also
   * mistakes that were reported before.
   */
  public void reload() {
    reload(Instant.now());
  }

  private synchronized void reload(Instant now) {
    changing = null;
    reported = List.of();
    read(now);
  }

  /** Looks at the files, and reads them if they have changed and stand still. */
  synchronized void look(Instant now) {
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
    // Of each file before it is opened, so that a change while it is read is seen at the next look.
    Fingerprint before = Fingerprint.of(sources.paths(), now);
    Reading reading = RuleFiles.read(sources, before::add);
    read = before;
    tell(reading);
  }

  private void tell(Reading reading) {
    if (closed.getCount() == 0) {
      return; // a file system has kept us waiting until nobody wanted to know
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
   * Stops watching. What the listener is being told just now is waited for, but not for longer than
   * two seconds, and neither is a file system that does not answer: a listener that takes longer is
   * still at it when this has returned. It is told nothing after that.
   */
  @Override
  public void close() {
    closed.countDown();
    Thread running = thread;
    if (running == null || running == Thread.currentThread()) {
      return;
    }
    try {
      running.join(LONGEST_CLOSE.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // whoever waits has something better to do
    }
  }

  /** Is told what came of a change. */
  public interface Listener {
    /** The files have changed, and are right: these are their rules. */
    void changed(RuleSet rules);

    /** The files have changed, and are wrong: the rules in force should stay. */
    void rejected(List<Problem> problems);
  }
}
