package io.weir.client.pace;

import io.weir.client.pace.RouteLimits.Route;
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
 * limits. No thread waits: a response or a timer releases the next request. Thread-safe; does not
 * block.
 */
public final class RequestQueue {
  private static final int MAX_LIMITS = 64;

  /** The most limits that one request can have; a server's further ones are ignored. */
  private static final int MAX_TOGETHER = 16;

  private static final Quota NAMELESS =
      new Quota("", OptionalLong.empty(), Optional.empty(), OptionalLong.empty(), Optional.empty());

  /** Further requests are rejected: they could only wait for long and use memory. */
  private static final int MAX_WAITING = 100_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final DelayScheduler time;
  private final RandomGenerator random;
  private final Duration maxTrust;
  private final RouteLimits routeLimits = new RouteLimits();
  private final Trampoline trampoline;
  private final Map<List<LimitPacer>, Set<QueuedRequest>> lanes = new LinkedHashMap<>();
  private final List<LimitPacer> unknown;
  private int waiting;
  private DelayScheduler.@Nullable ScheduledTask scheduledTask;
  private long alarmAt;

  private final Map<String, LimitPacer> limits =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, LimitPacer> eldest) {
          return size() > MAX_LIMITS;
        }
      };

  /**
   * An empty queue.
   *
   * @param maxTrust how long a server's statement that nothing is left is trusted
   */
  public RequestQueue(DelayScheduler time, RandomGenerator random, Duration maxTrust) {
    this.time = time;
    this.random = random;
    this.maxTrust = maxTrust;
    unknown = List.of(new LimitPacer(random, maxTrust));
    trampoline = new Trampoline(time);
  }

  /**
   * Completes the future when the limits allow the request. The future fails with a {@link
   * LongWaitException} at once if the wait is expected to pass the deadline, and otherwise at the
   * deadline.
   *
   * @param deadline in nanoseconds of the client's clock
   */
  public CompletableFuture<SendSlot> enter(String method, @Nullable String path, long deadline) {
    lock.lock();
    try {
      long now = time.nanos();
      Route route = routeLimits.route(method, path);
      List<LimitPacer> limitPacers = paces(route);
      int ahead = lanes.getOrDefault(limitPacers, Set.of()).size();
      long wait = LimitPacers.delay(limitPacers, now);
      if (wait <= 0 && ahead == 0) {
        return CompletableFuture.completedFuture(go(route, limitPacers, now));
      }
      long expected = LimitPacers.foreseen(limitPacers, ahead, now);
      if (now + expected - deadline > 0 || waiting >= MAX_WAITING) {
        return CompletableFuture.failedFuture(LimitPacers.tooLong(limitPacers, now, expected));
      }
      QueuedRequest queuedRequest =
          new QueuedRequest(
              route, lanes.computeIfAbsent(limitPacers, key -> new LinkedHashSet<>()));
      queuedRequest.lane.add(queuedRequest);
      waiting++;
      queuedRequest.deadline = time.after(deadline - now, () -> giveUp(queuedRequest));
      var unused = queuedRequest.future.whenComplete((sendSlot, failure) -> leave(queuedRequest));
      arm(now, wait);
      return queuedRequest.future;
    } finally {
      lock.unlock();
    }
  }

  /** Removes a request that no longer waits. */
  private void leave(QueuedRequest queuedRequest) {
    lock.lock();
    try {
      if (queuedRequest.lane.remove(queuedRequest)) {
        waiting--;
      }
      if (queuedRequest.deadline != null) {
        queuedRequest.deadline.cancel();
      }
    } finally {
      lock.unlock();
    }
  }

  private void giveUp(QueuedRequest queuedRequest) {
    LongWaitException late;
    lock.lock();
    try {
      List<LimitPacer> limitPacers = paces(queuedRequest.route);
      long now = time.nanos();
      late =
          LimitPacers.tooLong(
              limitPacers, now, Math.max(LimitPacers.foreseen(limitPacers, now), 1));
    } finally {
      lock.unlock();
    }
    queuedRequest.future.completeExceptionally(late);
  }

  private List<LimitPacer> paces(Route route) {
    List<LimitPacer> limitPacers = routeLimits.paces(route);
    return limitPacers == null ? unknown : limitPacers;
  }

  private SendSlot go(Route route, List<LimitPacer> limitPacers, long now) {
    limitPacers.forEach(limitPacer -> limitPacer.sent(now));
    return new SendSlot(this, route, limitPacers, now);
  }

  /** Releases all requests that may go, and schedules the next check. */
  private void pump() {
    List<Runnable> ready = new ArrayList<>();
    lock.lock();
    try {
      long now = time.nanos();
      long next = Long.MAX_VALUE;
      for (Map.Entry<List<LimitPacer>, Set<QueuedRequest>> lane : lanes.entrySet()) {
        next = Math.min(next, open(lane.getKey(), lane.getValue(), now, ready));
      }
      lanes.values().removeIf(Set::isEmpty);
      if (next < Long.MAX_VALUE) {
        arm(now, next);
      }
    } finally {
      lock.unlock();
    }
    trampoline.run(ready);
  }

  /** Releases requests of one lane; returns how long the first remaining one has to wait. */
  private long open(
      List<LimitPacer> limitPacers, Set<QueuedRequest> lane, long now, List<Runnable> ready) {
    for (Iterator<QueuedRequest> all = lane.iterator(); all.hasNext(); ) {
      QueuedRequest queuedRequest = all.next();
      if (!queuedRequest.future.isDone()) {
        long wait = LimitPacers.delay(limitPacers, now);
        if (wait > 0) {
          return wait;
        }
        SendSlot sendSlot = go(queuedRequest.route, limitPacers, now);
        ready.add(() -> admit(queuedRequest, sendSlot));
      }
      all.remove();
      waiting--;
    }
    return Long.MAX_VALUE;
  }

  private static void admit(QueuedRequest queuedRequest, SendSlot sendSlot) {
    if (!queuedRequest.future.complete(sendSlot)) { // cancelled at the same moment
      sendSlot.lost();
    }
  }

  private void arm(long now, long wait) {
    if (scheduledTask != null && alarmAt - (now + wait) <= 0 && alarmAt - now > 0) {
      return;
    }
    if (scheduledTask != null) {
      scheduledTask.cancel();
    }
    alarmAt = now + wait;
    scheduledTask = time.after(wait, this::pump);
  }

  /** Applies what a response reported about its limits, known or new. */
  void responded(SendSlot sendSlot, Quotas quotas, @Nullable Duration refusedFor) {
    lock.lock();
    try {
      long now = time.nanos();
      List<LimitPacer> before = paces(sendSlot.route());
      List<LimitPacer> reported = new ArrayList<>();
      List<LimitPacer> silent = new ArrayList<>(sendSlot.limitPacers());
      Quota refusing = refusedFor == null ? null : quotas.refusing().orElse(NAMELESS);
      for (Quota quota : refusing == NAMELESS ? List.of(NAMELESS) : quotas.all()) {
        LimitPacer limitPacer =
            limits.computeIfAbsent(key(quota), key -> new LimitPacer(random, maxTrust));
        reported.add(limitPacer);
        if (!silent.remove(limitPacer)) {
          limitPacer.sent(sendSlot.sentAt());
        }
        if (refusedFor == null) {
          limitPacer.responded(quota, sendSlot.sentAt(), now);
        } else {
          boolean isOnly = quota.equals(refusing) && quotas.all().size() <= 1;
          Duration retryAfter = quota.equals(refusing) ? refusedFor : null;
          refuse(
              limitPacer,
              quota,
              isOnly ? retryAfter : emptyFor(quota, retryAfter),
              sendSlot.sentAt(),
              now);
        }
      }
      silent.forEach(limitPacer -> limitPacer.lost(sendSlot.sentAt()));
      keepSilent(routeLimits.learned(sendSlot.route()), reported, now);
      routeLimits.learn(sendSlot.route(), List.copyOf(reported));
      if (!reported.isEmpty()) {
        unknown.forEach(LimitPacer::probe);
      }
      regroup(sendSlot.route(), before);
    } finally {
      lock.unlock();
    }
    pump();
  }

  /** Limits that a response does not mention still apply until they are over. */
  private static void keepSilent(List<LimitPacer> before, List<LimitPacer> reported, long now) {
    for (LimitPacer limitPacer : before) {
      if (reported.size() < MAX_TOGETHER
          && !reported.contains(limitPacer)
          && !limitPacer.isOver(now)) {
        reported.add(limitPacer);
      }
    }
  }

  /** Null {@code wait}: the limit has something left, so it did not refuse and was not charged. */
  private static void refuse(
      LimitPacer limitPacer, Quota quota, @Nullable Duration wait, long sentAt, long now) {
    if (wait == null) {
      limitPacer.lost(sentAt);
    } else {
      limitPacer.refused(quota, wait, sentAt, now);
    }
  }

  /**
   * With several limits, each one's own refill time counts: {@code Retry-After} may be another's.
   */
  private static @Nullable Duration emptyFor(Quota quota, @Nullable Duration retryAfter) {
    Duration own = quota.isEmpty() ? quota.growsAfter().orElse(null) : null;
    return own != null && (retryAfter == null || own.compareTo(retryAfter) > 0) ? own : retryAfter;
  }

  /** Limits without a name are identified by their size. */
  private static String key(Quota quota) {
    return quota.policy().isEmpty() ? "#" + quota.limit() : quota.policy();
  }

  /** Moves waiting requests from the lane of their assumed limits to that of their actual ones. */
  private void regroup(Route route, List<LimitPacer> before) {
    Set<QueuedRequest> lane = lanes.get(before);
    List<LimitPacer> limitPacers = paces(route);
    if (lane == null || limitPacers.equals(before)) {
      return;
    }
    Set<QueuedRequest> right = lanes.computeIfAbsent(limitPacers, key -> new LinkedHashSet<>());
    for (Iterator<QueuedRequest> all = lane.iterator(); all.hasNext(); ) {
      QueuedRequest queuedRequest = all.next();
      if (paces(queuedRequest.route).equals(limitPacers)) {
        all.remove();
        queuedRequest.lane = right;
        right.add(queuedRequest);
      }
    }
  }

  /** A failed request may not have reached the limits, so nothing is learned from it. */
  void failed(SendSlot sendSlot) {
    end(sendSlot, limitPacer -> limitPacer.failed(sendSlot.sentAt()));
  }

  void lost(SendSlot sendSlot) {
    end(sendSlot, limitPacer -> limitPacer.lost(sendSlot.sentAt()));
  }

  private void end(SendSlot sendSlot, Consumer<LimitPacer> how) {
    lock.lock();
    try {
      sendSlot.limitPacers().forEach(how);
    } finally {
      lock.unlock();
    }
    pump();
  }
}
