package io.weir.cli.top;

import io.weir.cli.node.AdminClient;
import io.weir.cli.node.TerminalSanitizer;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Polls a node once a second, on a thread of its own, so that a hanging node does not delay the
 * keyboard. Thread-safe.
 */
final class NodePoller implements AutoCloseable {
  private static final long PACE = TimeUnit.SECONDS.toNanos(1);
  private static final long OVERDUE_MILLIS = 2000;

  private final AdminClient adminClient;
  private final Runnable onChange;
  private final Thread thread = new Thread(this::poll, "weir-lookout");
  private SnapshotQuery snapshotQuery;
  private boolean isChanged;
  private Snapshot snapshot;
  private @Nullable Instant requestedAt; // the start of the current request
  private @Nullable Instant silentSince;
  private String trouble = "";
  private @Nullable CallerChange change; // to be made next
  private String note = ""; // the result of the last one

  private NodePoller(AdminClient adminClient, Snapshot first, Runnable onChange) {
    this.adminClient = adminClient;
    this.snapshot = first;
    this.snapshotQuery = first.snapshotQuery();
    this.onChange = onChange;
  }

  /**
   * Starts polling.
   *
   * @param onChange is called when there is something new
   */
  static NodePoller start(AdminClient adminClient, Snapshot first, Runnable onChange) {
    NodePoller nodePoller = new NodePoller(adminClient, first, onChange);
    nodePoller.thread.setDaemon(true);
    nodePoller.thread.start();
    return nodePoller;
  }

  /** Sets what to request from now on, and at once if it has changed. */
  synchronized void want(SnapshotQuery now) {
    if (!now.equals(snapshotQuery)) {
      snapshotQuery = now;
      isChanged = true;
      notifyAll();
    }
  }

  /** Sends a change at once. */
  synchronized void change(CallerChange now) {
    change = now;
    note = "";
    notifyAll();
  }

  synchronized void clearNote() {
    note = "";
  }

  /** The line below the lists: the result of a change, or why nothing newer is shown. */
  synchronized String message() {
    return note.isEmpty() ? trouble() : note;
  }

  /** The latest snapshot. */
  synchronized Snapshot snapshot() {
    return snapshot;
  }

  /** Why there is nothing newer; empty if there is. */
  synchronized String trouble() {
    Instant open = requestedAt;
    boolean isOverdue = open != null && open.plusMillis(OVERDUE_MILLIS).isBefore(Instant.now());
    if (!trouble.isEmpty()) {
      return trouble;
    }
    return open != null && isOverdue ? Screen.silent(open, "") : "";
  }

  private void poll() {
    try {
      while (true) {
        long began = System.nanoTime();
        CallerChange next = nextChange();
        if (next != null) {
          changed(next.apply(adminClient));
        }
        fetch(next());
        onChange.run();
        pause(began);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the end
    }
  }

  private synchronized @Nullable CallerChange nextChange() {
    CallerChange next = change;
    change = null;
    return next;
  }

  private synchronized void changed(String what) {
    note = what;
  }

  private synchronized SnapshotQuery next() {
    isChanged = false;
    requestedAt = Instant.now();
    return snapshotQuery;
  }

  private void fetch(SnapshotQuery now) throws InterruptedException {
    try {
      Snapshot found = Snapshot.of(adminClient, now);
      synchronized (this) {
        snapshot = found;
        silentSince = null;
        trouble = "";
        requestedAt = null;
      }
    } catch (RuntimeException e) { // the node may be restarting, and is back soon
      fail(e);
    }
  }

  private synchronized void fail(RuntimeException why) {
    Instant since = silentSince == null && requestedAt != null ? requestedAt : silentSince;
    silentSince = since;
    requestedAt = null;
    String words = TerminalSanitizer.text(String.valueOf(why.getMessage()));
    trouble =
        why instanceof AdminClient.BadRequestException || since == null
            ? words
            : Screen.silent(since, words);
  }

  private synchronized void pause(long began) throws InterruptedException {
    for (long left = PACE;
        left > 0 && !isChanged && change == null;
        left = began + PACE - System.nanoTime()) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
