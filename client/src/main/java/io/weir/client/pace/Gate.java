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
 * Where requests wait that share limits, first come, first served among those with the same ones.
 * Nobody waits on a thread: an answer or one alarm lets the next go.
 */
public final class Gate {
  private static final int MOST_LIMITS = 64;

  /** More that apply to the same request are not believed. */
  private static final int MOST_TOGETHER = 16;

  private static final Quota NAMELESS =
      new Quota("", OptionalLong.empty(), Optional.empty(), OptionalLong.empty(), Optional.empty());

  /** More that wait are turned away: they could only wait long, and take memory. */
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
   * A gate that nobody has gone through.
   *
   * @param longestBelief for which a server is believed that there is nothing
   */
  public Gate(Clockwork time, RandomGenerator random, Duration longestBelief) {
    this.time = time;
    this.random = random;
    this.longestBelief = longestBelief;
    unknown = List.of(new Pace(random, longestBelief));
    steps = new Steps(time);
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

  /** Whoever waits no more takes no place. */
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

  /** Lets all go who may, and sees to it that the next are looked at in time. */
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

  /** Returns how long the first of those that are left has to wait. */
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

  /** What an answer does not mention applies as before, until it means nothing any more. */
  private static void keepSilent(List<Pace> before, List<Pace> told, long now) {
    for (Pace pace : before) {
      if (told.size() < MOST_TOGETHER && !told.contains(pace) && !pace.isOver(now)) {
        told.add(pace);
      }
    }
  }

  /** One that has something left did not refuse, and was not charged. */
  private static void refuse(
      Pace pace, Quota quota, @Nullable Duration wait, long sentAt, long now) {
    if (wait == null) {
      pace.lost(sentAt);
    } else {
      pace.refused(quota, wait, sentAt, now);
    }
  }

  /** Of several limits, each says when it has more itself: {@code Retry-After} may be another's. */
  private static @Nullable Duration emptyFor(Quota quota, @Nullable Duration least) {
    Duration own = quota.isEmpty() ? quota.growsAfter().orElse(null) : null;
    return own != null && (least == null || own.compareTo(least) > 0) ? own : least;
  }

  /** Limits without a name are told apart by their size. */
  private static String key(Quota quota) {
    return quota.policy().isEmpty() ? "#" + quota.limit() : quota.policy();
  }

  /** Those who wait for the limits that were believed to apply wait for the right ones now. */
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

  /** Who failed may never have come to where the limits are: nothing is learned of them. */
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
