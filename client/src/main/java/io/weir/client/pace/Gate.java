package io.weir.client.pace;

import io.weir.client.pace.Routes.Route;
import io.weir.client.quota.Quota;
import io.weir.client.quota.Quotas;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Where requests wait that share limits, first come, first served among those with the same ones.
 * Nobody waits on a thread: an answer or one alarm lets the next go.
 */
public final class Gate {
  private static final int MOST_LIMITS = 64;

  private static final Quota NAMELESS =
      new Quota("", OptionalLong.empty(), Optional.empty(), OptionalLong.empty(), Optional.empty());

  /** More that wait are turned away: they could only wait long, and take memory. */
  private static final int MOST_WAITING = 100_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final Clockwork time;
  private final RandomGenerator random;
  private final Duration longestBelief;
  private final Routes routes = new Routes();
  private final Map<List<Pace>, ArrayDeque<Waiter>> lanes = new LinkedHashMap<>();
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
   * A gate that nobody has gone through.
   *
   * @param longestBelief for which a server is believed that there is nothing
   */
  public Gate(Clockwork time, RandomGenerator random, Duration longestBelief) {
    this.time = time;
    this.random = random;
    this.longestBelief = longestBelief;
    unknown = List.of(new Pace(random, longestBelief));
  }

  /** Somebody who waits. */
  private static final class Waiter {
    private final Route route;
    private final CompletableFuture<Pass> future = new CompletableFuture<>();
    private Clockwork.@Nullable Alarm deadline;

    Waiter(Route route) {
      this.route = route;
    }
  }

  /**
   * Lets a request go when its limits allow. The future fails with a {@link LongWaitException} at
   * once if that is not to be expected before the deadline, and otherwise at the deadline.
   *
   * @param deadline in nanoseconds of the clockwork
   */
  public CompletableFuture<Pass> enter(String method, @Nullable String path, long deadline) {
    lock.lock();
    try {
      long now = time.nanos();
      Route route = routes.route(method, path);
      List<Pace> paces = paces(route);
      ArrayDeque<Waiter> lane = lanes.get(paces);
      int ahead = lane == null ? 0 : lane.size();
      long wait = delay(paces, now);
      if (wait <= 0 && ahead == 0) {
        return CompletableFuture.completedFuture(go(route, paces, now));
      }
      long expected = (long) Math.min(wait + (double) ahead * gap(paces), 1e18);
      if (now + expected - deadline > 0 || waiting >= MOST_WAITING) {
        return CompletableFuture.failedFuture(tooLong(paces, now, expected));
      }
      Waiter waiter = new Waiter(route);
      waiter.deadline = time.after(deadline - now, () -> giveUp(waiter));
      lanes.computeIfAbsent(paces, key -> new ArrayDeque<>()).add(waiter);
      waiting++;
      arm(now, wait);
      return waiter.future;
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
      late = tooLong(paces, now, Math.max(delay(paces, now), 1));
    } finally {
      lock.unlock();
    }
    waiter.future.completeExceptionally(late);
  }

  private List<Pace> paces(Route route) {
    List<Pace> paces = routes.paces(route);
    return paces == null ? unknown : paces;
  }

  private static long delay(List<Pace> paces, long now) {
    long longest = 0;
    for (Pace pace : paces) {
      longest = Math.max(longest, pace.delay(now));
    }
    return longest;
  }

  private static long gap(List<Pace> paces) {
    return paces.stream().mapToLong(Pace::gap).max().orElse(0);
  }

  /** Says which limit holds it up most. */
  private static LongWaitException tooLong(List<Pace> paces, long now, long expected) {
    Optional<Quota> quota =
        paces.stream().max((a, b) -> Long.compare(a.delay(now), b.delay(now))).map(Pace::last);
    return new LongWaitException(quota, Duration.ofNanos(expected));
  }

  private Pass go(Route route, List<Pace> paces, long now) {
    paces.forEach(pace -> pace.sent(now));
    return new Pass(this, route, paces, now);
  }

  /** Lets all go who may, and sees to it that the next are looked at in time. */
  private void pump() {
    List<Runnable> ready = new ArrayList<>();
    lock.lock();
    try {
      long now = time.nanos();
      long next = Long.MAX_VALUE;
      for (Iterator<Map.Entry<List<Pace>, ArrayDeque<Waiter>>> all = lanes.entrySet().iterator();
          all.hasNext(); ) {
        Map.Entry<List<Pace>, ArrayDeque<Waiter>> lane = all.next();
        next = Math.min(next, open(lane.getKey(), lane.getValue(), now, ready));
        if (lane.getValue().isEmpty()) {
          all.remove();
        }
      }
      if (next < Long.MAX_VALUE) {
        arm(now, next);
      }
    } finally {
      lock.unlock();
    }
    ready.forEach(Runnable::run);
  }

  /** Returns how long the first of those that are left has to wait. */
  private long open(List<Pace> paces, ArrayDeque<Waiter> lane, long now, List<Runnable> ready) {
    while (!lane.isEmpty()) {
      Waiter waiter = lane.element();
      if (!waiter.future.isDone()) {
        long wait = delay(paces, now);
        if (wait > 0) {
          return wait;
        }
        Pass pass = go(waiter.route, paces, now);
        ready.add(() -> admit(waiter, pass));
      }
      lane.remove();
      waiting--;
      if (waiter.deadline != null) {
        waiter.deadline.cancel();
      }
    }
    return Long.MAX_VALUE;
  }

  private static void admit(Waiter waiter, Pass pass) {
    if (!waiter.future.complete(pass)) { // gave up at this very moment
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

  /** What an answer told of all limits, those that were expected and others. */
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
        tell(pace, quota, quota.equals(refusing) ? refusedFor : null, refusing != null, pass, now);
      }
      silent.forEach(Pace::lost);
      routes.learn(pass.route(), List.copyOf(told));
      regroup(pass.route(), before);
    } finally {
      lock.unlock();
    }
    pump();
  }

  private static void tell(
      Pace pace,
      Quota quota,
      @Nullable Duration refusedFor,
      boolean isRefused,
      Pass pass,
      long now) {
    if (refusedFor != null) {
      pace.refused(quota, refusedFor, now);
    } else if (isRefused) { // by another limit: this one was not charged
      pace.lost();
    } else {
      pace.answered(quota, pass.sentAt(), now);
    }
  }

  /** Limits without a name are told apart by their size. */
  private static String key(Quota quota) {
    return quota.policy().isEmpty() ? "#" + quota.limit() : quota.policy();
  }

  /** Those who wait for the limits that were believed to apply wait for the right ones now. */
  private void regroup(Route route, List<Pace> before) {
    ArrayDeque<Waiter> lane = lanes.get(before);
    List<Pace> paces = paces(route);
    if (lane == null || paces.equals(before)) {
      return;
    }
    ArrayDeque<Waiter> stay = new ArrayDeque<>();
    ArrayDeque<Waiter> move = lanes.computeIfAbsent(paces, key -> new ArrayDeque<>());
    lane.forEach(each -> (paces(each.route).equals(paces) ? move : stay).add(each));
    lanes.put(before, stay);
  }

  void lost(Pass pass) {
    lock.lock();
    try {
      pass.paces().forEach(Pace::lost);
    } finally {
      lock.unlock();
    }
    pump();
  }
}
