package io.weir.cli.top;

import io.weir.cli.node.Node;
import io.weir.cli.node.Plain;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Polls a node once a second, on a thread of its own, so that a hanging node does not delay the
 * keyboard. Thread-safe.
 */
final class Lookout implements AutoCloseable {
  private static final long PACE = TimeUnit.SECONDS.toNanos(1);
  private static final long OVERDUE_MILLIS = 2000;

  private final Node node;
  private final Runnable news;
  private final Thread thread = new Thread(this::look, "weir-lookout");
  private Wish wish;
  private boolean isNewWish;
  private Snapshot seen;
  private @Nullable Instant asked; // the start of the current request
  private @Nullable Instant silentSince;
  private String trouble = "";
  private @Nullable CallerChange change; // to be made next
  private String note = ""; // the result of the last one

  private Lookout(Node node, Snapshot first, Runnable news) {
    this.node = node;
    this.seen = first;
    this.wish = first.wish();
    this.news = news;
  }

  /**
   * Starts polling.
   *
   * @param news is called when there is something new
   */
  static Lookout start(Node node, Snapshot first, Runnable news) {
    Lookout lookout = new Lookout(node, first, news);
    lookout.thread.setDaemon(true);
    lookout.thread.start();
    return lookout;
  }

  /** Sets what to request from now on, and at once if it has changed. */
  synchronized void want(Wish now) {
    if (!now.equals(wish)) {
      wish = now;
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
          changed(ordered.apply(node));
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

  private synchronized Wish next() {
    isNewWish = false;
    asked = Instant.now();
    return wish;
  }

  private void ask(Wish now) throws InterruptedException {
    try {
      Snapshot found = Snapshot.of(node, now);
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
    String words = Plain.text(String.valueOf(why.getMessage()));
    trouble =
        why instanceof Node.MistakenException || since == null
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
