package io.weir.insight.event;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Rings that belong to one thread each while it lives: threads of an event loop, or the first
 * threads of an application.
 *
 * <p>No thread-locals are used, so nothing stays in the threads after this is closed. A thread
 * finds its ring by its id in a table, at one of a few places. Only the thread itself uses its
 * entry, so it needs no lock to read it; entries of other threads are skipped.
 *
 * <p>The more rings there are, the smaller is the next one: 2 of 8,192 slots, 2 of 4,096, 4 of
 * 2,048, 8 of 1,024 and 16 of 512 are 49,152 in total. The ring of a thread that has ended goes to
 * the next new thread.
 */
public final class ThreadRings {
  public static final int MAX_RINGS = 32;
  public static final int MAX_SLOTS = 8192;

  private static final int MIN_SLOTS = 512;
  private static final int TOGETHER = 16_384;
  private static final int PLACES = 128;
  private static final int TRIES = 4;

  private final @Nullable OwnedRing[] table = new OwnedRing[PLACES];
  private final List<EventRing> all = new CopyOnWriteArrayList<>();
  private final List<EventRing> idle = new CopyOnWriteArrayList<>();
  private volatile boolean mayGive = true;
  private boolean isClosed;

  /** The ring of a thread; null if it has none and cannot get one now. */
  @Nullable EventRing of(Thread thread) {
    int first = (int) thread.getId();
    boolean hasRoom = false;
    for (int i = 0; i < TRIES; i++) {
      OwnedRing held = table[(first + i) & (PLACES - 1)];
      if (held == null) {
        hasRoom = true;
      } else if (held.owner == thread) {
        return held.eventRing;
      }
    }
    return hasRoom && mayGive && !VirtualThreads.isOne(thread) ? give(thread, first) : null;
  }

  /** Thread ids are consecutive, so the places of a thread are rarely taken by others. */
  private synchronized @Nullable EventRing give(Thread thread, int first) {
    for (int i = 0; mayGive && i < TRIES; i++) {
      int place = (first + i) & (PLACES - 1);
      if (table[place] == null) {
        EventRing eventRing = idle.isEmpty() ? another() : idle.remove(0);
        table[place] = new OwnedRing(thread, eventRing);
        mayGive = all.size() < MAX_RINGS || !idle.isEmpty();
        return eventRing;
      }
    }
    return null;
  }

  private EventRing another() {
    int slots = Integer.highestOneBit(TOGETHER / (all.size() + 1));
    EventRing eventRing = new EventRing(Math.max(MIN_SLOTS, Math.min(slots, MAX_SLOTS)));
    all.add(eventRing);
    return eventRing;
  }

  /** Runs on the background thread. */
  void drain(EventBuffer.EventConsumer eventConsumer) {
    boolean[] isOver = new boolean[PLACES];
    for (int i = 0; i < PLACES; i++) {
      OwnedRing held = table[i];
      isOver[i] = held != null && !held.owner.isAlive();
    }
    for (EventRing eventRing : all) {
      eventRing.drain(eventConsumer);
    }
    for (int i = 0; i < PLACES; i++) {
      if (isOver[i]) { // the thread's last entries are drained by now
        takeBack(i);
      }
    }
  }

  private synchronized void takeBack(int place) {
    OwnedRing held = table[place];
    if (held != null && !held.owner.isAlive()) {
      table[place] = null;
      idle.add(held.eventRing);
      mayGive = !isClosed;
    }
  }

  long missed() {
    return all.stream().mapToLong(EventRing::missed).sum();
  }

  long bytes() {
    return all.stream().mapToLong(EventRing::bytes).sum();
  }

  /** Releases all rings and threads. */
  synchronized void close() {
    isClosed = true;
    mayGive = false;
    Arrays.fill(table, null);
    all.clear();
    idle.clear();
  }

  /** A ring and the thread that owns it. */
  private record OwnedRing(Thread owner, EventRing eventRing) {}
}
