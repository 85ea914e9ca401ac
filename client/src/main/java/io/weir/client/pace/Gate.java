package io.weir.client.pace;

import io.weir.client.pace.Routes.Route;
import io.weir.client.quota.Quota;
import io.weir.client.quota.Quotas;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The queue for requests that share limits: first come, first served among requests with the same
 * limits. No thread waits: an answer or a timer releases the next request. Thread-safe; does not
 * block.
 */
public final class Gate {
  private static final int MOST_LIMITS = 64;

  /** The most limits that one request can have; a server's further ones are ignored. */
  private static final int MOST_TOGETHER = 16;

  private static final Quota NAMELESS =
      new Quota("", OptionalLong.empty(), Optional.empty(), OptionalLong.empty(), Optional.empty());

  /** Further requests are rejected: they could only wait for long and use memory. */
  private static final int MOST_WAITING = 100_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final Clockwork time;
  private final RandomGenerator random;
  private final Duration longestBelief;
  private final Routes routes = new Routes();
  private final Steps steps;
  private final Map<List<Pace>, Set<Waiter>> lanes = new LinkedHashMap<>();
  private final List<Pace> unknown;
  private int waiting;
  private Clockwork.@Nullable Alarm alarm;
  private long alarmAt;

  private final Map<String, Pace> limits =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Pace> eldest) {
          return size() > MOST_LIMITS;
        }
      };

  /**
   * An empty queue.
   *
   * @param longestBelief how long a server's statement that nothing is left is trusted
   */
  public Gate(Clockwork time, RandomGenerator random, Duration longestBelief) {
    this.time = time;
    this.random = random;
    this.longestBelief = longestBelief;
    unknown = List.of(new Pace(random, longestBelief));
    steps = new Steps(time);
  }

  /**
   * Completes the future when the limits allow the request. The future fails with a {@link
   * LongWaitException} at once if the wait is expected to pass the deadline, and otherwise at the
   * deadline.
   *
   * @param deadline in nanoseconds of the client's clock
   */
  public CompletableFuture<Pass> enter(String method, @Nullable String path, long deadline) {
    lock.lock();
    try {
      long now = time.nanos();
      Route route = routes.route(method, path);
      List<Pace> paces = paces(route);
      int ahead = lanes.getOrDefault(paces, Set.of()).size();
      long wait = Paces.delay(paces, now);
      if (wait <= 0 && ahead == 0) {
        return CompletableFuture.completedFuture(go(route, paces, now));
      }
      long expected = Paces.foreseen(paces, ahead, now);
      if (now + expected - deadline > 0 || waiting >= MOST_WAITING) {
        return CompletableFuture.failedFuture(Paces.tooLong(paces, now, expected));
      }
      Waiter waiter = new Waiter(route, lanes.computeIfAbsent(paces, key -> new LinkedHashSet<>()));
      waiter.lane.add(waiter);
      waiting++;
      waiter.deadline = time.after(deadline - now, () -> giveUp(waiter));
      var unused = waiter.future.whenComplete((pass, failure) -> leave(waiter));
      arm(now, wait);
      return waiter.future;
    } finally {
      lock.unlock();
    }
  }

  /** Removes a request that no longer waits. */
  private void leave(Waiter waiter) {
    lock.lock();
    try {
      if (waiter.lane.remove(waiter)) {
        waiting--;
      }
      if (waiter.deadline != null) {
        waiter.deadline.cancel();
      }
    } finally {
      lock.unlock();
    }
  }

  private void giveUp(Waiter waiter) {
    LongWaitException late;
    lock.lock();
    try {
      List<Pace> paces = paces(waiter.route);
      long now = time.nanos();
      late = Paces.tooLong(paces, now, Math.max(Paces.foreseen(paces, now), 1));
    } finally {
      lock.unlock();
    }
    waiter.future.completeExceptionally(late);
  }

  private List<Pace> paces(Route route) {
    List<Pace> paces = routes.paces(route);
    return paces == null ? unknown : paces;
  }

  private Pass go(Route route, List<Pace> paces, long now) {
    paces.forEach(pace -> pace.sent(now));
    return new Pass(this, route, paces, now);
  }

  /** Releases all requests that may go, and schedules the next check. */
  private void pump() {
    List<Runnable> ready = new ArrayList<>();
    lock.lock();
    try {
      long now = time.nanos();
      long next = Long.MAX_VALUE;
      for (Map.Entry<List<Pace>, Set<Waiter>> lane : lanes.entrySet()) {
        next = Math.min(next, open(lane.getKey(), lane.getValue(), now, ready));
      }
      lanes.values().removeIf(Set::isEmpty);
      if (next < Long.MAX_VALUE) {
        arm(now, next);
      }
    } finally {
      lock.unlock();
    }
    steps.run(ready);
  }

  /** Releases requests of one lane; returns how long the first remaining one has to wait. */
  private long open(List<Pace> paces, Set<Waiter> lane, long now, List<Runnable> ready) {
    for (Iterator<Waiter> all = lane.iterator(); all.hasNext(); ) {
      Waiter waiter = all.next();
      if (!waiter.future.isDone()) {
        long wait = Paces.delay(paces, now);
        if (wait > 0) {
          return wait;
        }
        Pass pass = go(waiter.route, paces, now);
        ready.add(() -> admit(waiter, pass));
      }
      all.remove();
      waiting--;
    }
    return Long.MAX_VALUE;
  }

  private static void admit(Waiter waiter, Pass pass) {
    if (!waiter.future.complete(pass)) { // cancelled at the same moment
      pass.lost();
    }
  }

  private void arm(long now, long wait) {
    if (alarm != null && alarmAt - (now + wait) <= 0 && alarmAt - now > 0) {
      return;
    }
    if (alarm != null) {
      alarm.cancel();
    }
    alarmAt = now + wait;
    alarm = time.after(wait, this::pump);
  }

  /** Applies what an answer reported about its limits, known or new. */
  void answered(Pass pass, Quotas quotas, @Nullable Duration refusedFor) {
    lock.lock();
    try {
      long now = time.nanos();
      List<Pace> before = paces(pass.route());
      List<Pace> told = new ArrayList<>();
      List<Pace> silent = new ArrayList<>(pass.paces());
      Quota refusing = refusedFor == null ? null : quotas.refusing().orElse(NAMELESS);
      for (Quota quota : refusing == NAMELESS ? List.of(NAMELESS) : quotas.all()) {
        Pace pace = limits.computeIfAbsent(key(quota), key -> new Pace(random, longestBelief));
        told.add(pace);
        if (!silent.remove(pace)) {
          pace.sent(pass.sentAt());
        }
        if (refusedFor == null) {
          pace.answered(quota, pass.sentAt(), now);
        } else {
          boolean isOnly = quota.equals(refusing) && quotas.all().size() <= 1;
          Duration least = quota.equals(refusing) ? refusedFor : null;
          refuse(pace, quota, isOnly ? least : emptyFor(quota, least), pass.sentAt(), now);
        }
      }
      silent.forEach(pace -> pace.lost(pass.sentAt()));
      keepSilent(routes.learned(pass.route()), told, now);
      routes.learn(pass.route(), List.copyOf(told));
      if (!told.isEmpty()) {
        unknown.forEach(Pace::feelWay);
      }
      regroup(pass.route(), before);
    } finally {
      lock.unlock();
    }
    pump();
  }

  /** Limits that an answer does not mention still apply until they are over. */
  private static void keepSilent(List<Pace> before, List<Pace> told, long now) {
    for (Pace pace : before) {
      if (told.size() < MOST_TOGETHER && !told.contains(pace) && !pace.isOver(now)) {
        told.add(pace);
      }
    }
  }

  /** Null {@code wait}: the limit has something left, so it did not refuse and was not charged. */
  private static void refuse(
      Pace pace, Quota quota, @Nullable Duration wait, long sentAt, long now) {
    if (wait == null) {
      pace.lost(sentAt);
    } else {
      pace.refused(quota, wait, sentAt, now);
    }
  }

  /**
   * With several limits, each one's own refill time counts: {@code Retry-After} may be another's.
   */
  private static @Nullable Duration emptyFor(Quota quota, @Nullable Duration least) {
    Duration own = quota.isEmpty() ? quota.growsAfter().orElse(null) : null;
    return own != null && (least == null || own.compareTo(least) > 0) ? own : least;
  }

  /** Limits without a name are identified by their size. */
  private static String key(Quota quota) {
    return quota.policy().isEmpty() ? "#" + quota.limit() : quota.policy();
  }

  /** Moves waiting requests from the lane of their assumed limits to that of their actual ones. */
  private void regroup(Route route, List<Pace> before) {
    Set<Waiter> lane = lanes.get(before);
    List<Pace> paces = paces(route);
    if (lane == null || paces.equals(before)) {
      return;
    }
    Set<Waiter> right = lanes.computeIfAbsent(paces, key -> new LinkedHashSet<>());
    for (Iterator<Waiter> all = lane.iterator(); all.hasNext(); ) {
      Waiter waiter = all.next();
      if (paces(waiter.route).equals(paces)) {
        all.remove();
        waiter.lane = right;
        right.add(waiter);
      }
    }
  }

  /** A failed request may not have reached the limits, so nothing is learned from it. */
  void failed(Pass pass) {
    end(pass, pace -> pace.failed(pass.sentAt()));
  }

  void lost(Pass pass) {
    end(pass, pace -> pace.lost(pass.sentAt()));
  }

  private void end(Pass pass, Consumer<Pace> how) {
    lock.lock();
    try {
      pass.paces().forEach(how);
    } finally {
      lock.unlock();
    }
    pump();
  }
}
