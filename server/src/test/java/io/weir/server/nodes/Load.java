package io.weir.server.nodes;

import io.weir.rig.Await;
import io.weir.server.nodes.Caller.NodeResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that send requests to any caller, of any kind, until they are stopped. */
final class Load implements AutoCloseable {
  private static final int THREADS = 4;
  private static final int USERS = 20;

  private final List<Caller> callers;
  private final List<String> kinds;
  private final Queue<TimedResponse> responses = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();
  private final List<Thread> threads = new ArrayList<>();
  private volatile String phase = "start";
  private volatile boolean isOver;

  /**
   * One response.
   *
   * @param phase in which the check was sent and completed; empty if it changed meanwhile
   */
  record TimedResponse(
      String phase, Caller caller, String kind, NodeResponse response, Duration took) {}

  Load(Collection<Caller> callers, Collection<String> kinds) {
    this.callers = List.copyOf(callers);
    this.kinds = List.copyOf(kinds);
    for (int i = 0; i < THREADS; i++) {
      Thread thread = new Thread(this::run, "load-" + i);
      threads.add(thread);
      thread.start();
    }
  }

  private void run() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    while (!isOver) {
      Caller caller = callers.get(random.nextInt(callers.size()));
      String kind = kinds.get(random.nextInt(kinds.size()));
      String before = phase;
      long start = System.nanoTime();
      NodeResponse response = caller.check(kind, "user-" + random.nextInt(USERS));
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      responses.add(
          new TimedResponse(before.equals(phase) ? before : "", caller, kind, response, took));
      count.incrementAndGet();
    }
  }

  /** Checks from now on belong to this phase. */
  void phase(String name) {
    phase = name;
  }

  /** Waits for so many more responses. */
  void awaitMore(int more) {
    int enough = count.get() + more;
    Await.holds(more + " answers more", () -> count.get() >= enough);
  }

  /** Stops the threads, and returns all responses. */
  List<TimedResponse> end() {
    close();
    return List.copyOf(responses);
  }

  @Override
  public void close() {
    isOver = true;
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError(e);
      }
    }
  }
}
