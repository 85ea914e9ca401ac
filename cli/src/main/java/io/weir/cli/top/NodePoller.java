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
  private final Runnable news;
  private final Thread thread = new Thread(this::look, "weir-lookout");
  private SnapshotQuery snapshotQuery;
  private boolean isNewWish;
  private Snapshot seen;
  private @Nullable Instant asked; // the start of the current request
  private @Nullable Instant silentSince;
  private String trouble = "";
  private @Nullable CallerChange change; // to be made next
  private String note = ""; // the result of the last one

  private NodePoller(AdminClient adminClient, Snapshot first, Runnable news) {
    this.adminClient = adminClient;
    this.seen = first;
    this.snapshotQuery = first.snapshotQuery();
    this.news = news;
  }

  /**
   * Starts polling.
   *
   * @param news is called when there is something new
   */
  static NodePoller start(AdminClient adminClient, Snapshot first, Runnable news) {
    NodePoller nodePoller = new NodePoller(adminClient, first, news);
    nodePoller.thread.setDaemon(true);
    nodePoller.thread.start();
    return nodePoller;
  }

  /** Sets what to request from now on, and at once if it has changed. */
  synchronized void want(SnapshotQuery now) {
    if (!now.equals(snapshotQuery)) {
      snapshotQuery = now;
      isNewWish = true;
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
  synchronized Snapshot seen() {
    return seen;
  }

  /** Why there is nothing newer; empty if there is. */
  synchronized String trouble() {
    Instant open = asked;
    boolean isOverdue = open != null && open.plusMillis(OVERDUE_MILLIS).isBefore(Instant.now());
    if (!trouble.isEmpty()) {
      return trouble;
    }
    return open != null && isOverdue ? Screen.silent(open, "") : "";
  }

  private void look() {
    try {
      while (true) {
        long began = System.nanoTime();
        CallerChange ordered = nextChange();
        if (ordered != null) {
          changed(ordered.apply(adminClient));
        }
        ask(next());
        news.run();
        pause(began);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the end
    }
  }

  private synchronized @Nullable CallerChange nextChange() {
    CallerChange ordered = change;
    change = null;
    return ordered;
  }

  private synchronized void changed(String what) {
    note = what;
  }

  private synchronized SnapshotQuery next() {
    isNewWish = false;
    asked = Instant.now();
    return snapshotQuery;
  }

  private void ask(SnapshotQuery now) throws InterruptedException {
    try {
      Snapshot found = Snapshot.of(adminClient, now);
      synchronized (this) {
        seen = found;
        silentSince = null;
        trouble = "";
        asked = null;
      }
    } catch (RuntimeException e) { // the node may be restarting, and is back soon
      fail(e);
    }
  }

  private synchronized void fail(RuntimeException why) {
    Instant since = silentSince == null && asked != null ? asked : silentSince;
    silentSince = since;
    asked = null;
    String words = TerminalSanitizer.text(String.valueOf(why.getMessage()));
    trouble =
        why instanceof AdminClient.BadRequestException || since == null
            ? words
            : Screen.silent(since, words);
  }

  private synchronized void pause(long began) throws InterruptedException {
    for (long left = PACE;
        left > 0 && !isNewWish && change == null;
        left = began + PACE - System.nanoTime()) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
