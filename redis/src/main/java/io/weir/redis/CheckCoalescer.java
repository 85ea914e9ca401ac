package io.weir.redis;

import io.weir.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Combines concurrent checks of one key into one call. Thread-safe.
 *
 * <p>The first check of a key is sent at once. Checks that arrive during the call wait, and go
 * together in the next call. That call requests the sum of their equal costs, and the reply has the
 * number that pass. A check waits for at most two calls, unless more than 512 are waiting.
 */
final class CheckCoalescer {
  /*
   * The decisions are those of checks that arrived one right after the other. Redis grants the
   * first k of n; all have the same cost, so every check after a refused one would be refused too.
   * A check is never decided by a call sent before it arrived, with two exceptions. One is a cached
   * refusal, which holds until the request could fit. The other is permits taken in advance, if the
   * limiter is leased.
   *
   * A failed call fails all checks that are in it or wait behind it: Redis does not respond, and
   * they have waited long enough.
   */

  private static final int MAX_TOGETHER = 8192;

  private final Clock clock;
  private final DenialCache denialCache;
  private final RedisCounters redisCounters;
  private final ConcurrentHashMap<String, Batch> batches = new ConcurrentHashMap<>();

  CheckCoalescer(Clock clock, DenialCache denialCache, RedisCounters redisCounters) {
    this.clock = clock;
    this.denialCache = denialCache;
    this.redisCounters = redisCounters;
  }

  /** Sends {@code pendingCheck} to Redis, alone or with others. */
  void submit(PendingCheck<?> pendingCheck) {
    while (true) {
      Batch batch = batches.get(pendingCheck.key);
      if (batch == null) {
        Batch mine = new Batch(pendingCheck);
        if (batches.putIfAbsent(pendingCheck.key, mine) == null) {
          mine.sendOrFail(mine.first);
          return;
        }
      } else if (!batch.takes(pendingCheck)) {
        new Batch(pendingCheck).sendOrFail(List.of(pendingCheck));
        return;
      } else if (batch.await(pendingCheck)) {
        redisCounters.coalesced(1);
        return;
      }
    }
  }

  /** The checks of one key and cost that are in progress, and those that wait. */
  private final class Batch {
    private final Leases leases;
    private final ScriptPlan scriptPlan;
    private final String key;
    private final long cost;
    private final List<PendingCheck<?>> first;
    private List<PendingCheck<?>> waiting = new ArrayList<>(0);
    private boolean isOver;

    Batch(PendingCheck<?> first) {
      this.leases = first.leases;
      this.scriptPlan = first.scriptPlan;
      this.key = first.key;
      this.cost = first.cost;
      this.first = List.of(first);
    }

    boolean takes(PendingCheck<?> pendingCheck) {
      return pendingCheck.scriptPlan == scriptPlan
          && pendingCheck.cost == cost
          && scriptPlan.isPlain();
    }

    synchronized boolean await(PendingCheck<?> pendingCheck) {
      if (isOver) {
        batches.remove(key, this);
        return false;
      }
      waiting.add(pendingCheck);
      return true;
    }

    void sendOrFail(List<PendingCheck<?>> pendingChecks) {
      try {
        send(pendingChecks);
      } catch (RuntimeException e) { // the waiting checks must fail too
        failed(pendingChecks, new RedisFailure(RedisFailure.Kind.OTHER, "cannot call Redis: " + e));
      }
    }

    private void send(List<PendingCheck<?>> pendingChecks) {
      DenialCache.RequestTime requestTime = denialCache.requestTime(scriptPlan, key);
      TakeRequest takeRequest = leases.takeRequest(key, cost, pendingChecks.size());
      CommandSender commandSender = leases.commandSender();
      commandSender.send(
          new ScriptExchange(
              commandSender, scriptPlan, key, () -> takeRequest.message(clock.micros())) {
            @Override
            boolean mustBeCopied(long[] reply) {
              return ScriptPlan.granted(reply) > 0;
            }

            @Override
            void handleReply(long[] reply) {
              TakeReply takeReply = takeRequest.outcome(reply);
              // A grant changes the waits of other callers.
              DenialCache.RequestTime since =
                  takeReply.granted() > 0
                      ? denialCache.forget(scriptPlan, key, requestTime)
                      : requestTime;
              Decision last = takeReply.decision(pendingChecks.size() - 1);
              if (!last.allowed() && takeReply.isLasting()) {
                denialCache.remember(scriptPlan, key, since, last, takeReply.epochMicros());
              }
              finish(pendingChecks, takeReply);
            }

            @Override
            void onFailure(RedisFailure redisFailure) {
              takeRequest.failed();
              failed(pendingChecks, redisFailure);
            }
          });
    }

    private void failed(List<PendingCheck<?>> pendingChecks, RedisFailure redisFailure) {
      List<PendingCheck<?>> others = end();
      pendingChecks.forEach(each -> each.failed(redisFailure));
      others.forEach(each -> each.failed(redisFailure));
    }

    /**
     * Completes the checks of the call, then sends or refuses the waiting ones. A caller that
     * checks again in its callback joins the waiting ones. That doubles the batch size when the
     * same few callers repeat.
     */
    private void finish(List<PendingCheck<?>> pendingChecks, TakeReply takeReply) {
      Decision refusal = denialCache.refusal(scriptPlan, key, cost);
      if (refusal == null) {
        complete(pendingChecks, takeReply);
        sendNext();
      } else {
        List<PendingCheck<?>> others = end();
        complete(pendingChecks, takeReply);
        others.forEach(each -> each.refused(refusal));
      }
    }

    private static void complete(List<PendingCheck<?>> pendingChecks, TakeReply takeReply) {
      for (int i = 0; i < pendingChecks.size(); i++) {
        pendingChecks.get(i).decided(takeReply, i);
      }
    }

    private void sendNext() {
      List<PendingCheck<?>> next = next();
      while (!next.isEmpty()) {
        List<PendingCheck<?>> unserved = unserved(next);
        if (!unserved.isEmpty()) {
          sendOrFail(unserved);
          return;
        }
        next = next();
      }
      batches.remove(key, this);
    }

    /** The checks without permits taken in advance. */
    private static List<PendingCheck<?>> unserved(List<PendingCheck<?>> pendingChecks) {
      int served = 0;
      while (served < pendingChecks.size() && pendingChecks.get(served).isServed()) {
        served++;
      }
      return served == 0 ? pendingChecks : pendingChecks.subList(served, pendingChecks.size());
    }

    private synchronized List<PendingCheck<?>> next() {
      List<PendingCheck<?>> next = waiting;
      if (next.size() > MAX_TOGETHER) {
        next = new ArrayList<>(waiting.subList(0, MAX_TOGETHER));
        waiting = new ArrayList<>(waiting.subList(MAX_TOGETHER, waiting.size()));
      } else {
        waiting = new ArrayList<>(0);
      }
      isOver = next.isEmpty();
      return next;
    }

    /**
     * Ends the batch before the checks complete. A callback may check again and wait for the
     * result, and must not wait for this batch.
     */
    private List<PendingCheck<?>> end() {
      List<PendingCheck<?>> left;
      synchronized (this) {
        left = waiting;
        isOver = true;
      }
      batches.remove(key, this);
      return left;
    }
  }

  /** One check, until it is decided. */
  abstract static class PendingCheck<T> extends CompletableFuture<T> {
    final Leases leases;
    final ScriptPlan scriptPlan;
    final String key;
    final long cost;

    PendingCheck(Leases leases, String key, long cost) {
      this.leases = leases;
      this.scriptPlan = leases.scriptPlan();
      this.key = key;
      this.cost = cost;
    }

    /** Redis has decided; this is number {@code i} of the checks in the call. */
    abstract void decided(TakeReply takeReply, int i);

    /** Whether permits taken in advance were enough. */
    abstract boolean isServed();

    /** It is known that Redis would refuse. */
    abstract void refused(Decision refusal);

    /** Redis could not be called. */
    abstract void failed(RedisFailure redisFailure);
  }
}
