package io.weir.redis;

import io.weir.Decision;
import io.weir.LimitStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Permits of busy keys, taken in advance under one plan: a check that finds some needs no call.
 * Thread-safe.
 *
 * <p>A check costs a map lookup, a clock read and a compare-and-set. Under an exact plan, or for a
 * key that is not busy, there are no leased permits, and every check goes to Redis.
 */
final class Leases {
  /*
   * The life of a key: after the first check it has a place, but no lease. After another check
   * soon, its rate is known, and permits are leased in calls that are made anyway. If spent permits
   * move to the time of their use, the same calls close the previous lease. A timer visits all keys
   * twice per lease, or more often if leases are long. It gives back the rest of ended leases, and
   * frees the places of idle keys. A store has a fixed number of places; further keys are checked
   * exactly.
   */

  private static final int MAX_KEY_LENGTH = 1024;
  private static final int IDLE_LEASES = 4;
  private static final long SHORTEST_SWEEP = Duration.ofMillis(5).toNanos();

  private final LeaseManager leaseManager;
  private final ScriptPlan scriptPlan;
  private final CommandSender checkSender;
  private final CommandSender corrections;
  private final long leaseMicros;
  private final ConcurrentHashMap<String, Lease> table = new ConcurrentHashMap<>();
  private final AtomicBoolean isSwept = new AtomicBoolean();
  private volatile boolean isOver;
  private volatile boolean isGivenBack; // valid once it is over

  /**
   * @param checkSender sends requests that are not leased
   * @param corrections sends corrections of charges
   */
  Leases(
      LeaseManager leaseManager,
      ScriptPlan scriptPlan,
      CommandSender checkSender,
      CommandSender corrections) {
    this.checkSender = checkSender;
    this.corrections = corrections;
    this.leaseManager = leaseManager;
    this.scriptPlan = scriptPlan;
    this.leaseMicros =
        scriptPlan.isLeased()
            ? Math.min(scriptPlan.leaseMicros(), leaseManager.maxLeaseMicros())
            : 0;
  }

  ScriptPlan scriptPlan() {
    return scriptPlan;
  }

  /** The sender of requests that are not leased. */
  CommandSender commandSender() {
    return checkSender;
  }

  /** The sender of corrections. */
  CommandSender corrections() {
    return corrections;
  }

  private @Nullable Grant grant(String key) {
    Lease lease = table.get(key);
    return lease == null ? null : lease.grant();
  }

  /** Spends {@code cost} leased permits of {@code key}; null if there are not enough. */
  @Nullable Spent spend(String key, long cost) {
    Grant grant = cost == 0 ? null : grant(key);
    if (grant == null) {
      return null;
    }
    long nanos = leaseManager.nanos();
    long left = grant.spend(cost, nanos);
    return left == Grant.UNSPENT ? null : new Spent(grant, cost, left, nanos);
  }

  /** How many leased permits of {@code key} are unspent. */
  long unspent(String key) {
    Grant grant = grant(key);
    return grant == null ? 0 : grant.left(leaseManager.nanos());
  }

  /** The decision of Redis, plus the unspent leased permits. */
  Decision andUnspent(String key, Decision decision) {
    long unspent = unspent(key);
    if (unspent == 0) {
      return decision;
    }
    boolean isHere = unspent >= decision.cost();
    List<LimitStatus> statuses = new ArrayList<>(decision.standings().size());
    for (LimitStatus limitStatus : decision.standings()) {
      long remaining = Math.min(limitStatus.limit().capacity(), limitStatus.remaining() + unspent);
      long growth = limitStatus.growsAfter().map(Duration::toNanos).orElse(0L);
      long reset = limitStatus.resetAfter().toNanos();
      long wait = isHere ? 0 : limitStatus.retryAfter().map(Duration::toNanos).orElse(0L);
      statuses.add(
          limitStatus.neverFits()
              ? LimitStatus.neverFits(limitStatus.limit(), remaining, growth, reset)
              : LimitStatus.of(limitStatus.limit(), remaining, wait, growth, reset));
    }
    return Decision.of(
        decision.cost(),
        decision.delay(),
        statuses,
        decision.time().toEpochMilli(),
        decision.origin());
  }

  /** Must be called before Redis is called for {@code own} requests of {@code cost}. */
  TakeRequest takeRequest(String key, long cost, int own) {
    Lease lease = leaseMicros > 0 && scriptPlan.canFit(cost) ? lease(key) : null;
    if (lease == null) {
      return new TakeRequest(this, null, cost, own, 0, 1, 0, null);
    }
    long nanos = leaseManager.nanos();
    int shares = leaseManager.shares();
    long wanted = lease.permitsToRequest(cost, own, nanos, wantedNanos());
    Grant before = lease.grant();
    LeaseClosing leaseClosing = null;
    if (before != null && (wanted > 0 || before.isOver(nanos))) {
      leaseClosing = before.end(leaseManager::nanos);
      giveBack(key, before); // before others are charged: a bucket takes back only its last charge
    }
    int more = (int) Math.min(wanted, Math.max(0, ScriptPlan.MAX_TIMES - own) / shares);
    if (more > 0 || leaseClosing != null) {
      leaseManager.requested();
    }
    return new TakeRequest(this, lease, cost, own, more, shares, nanos, leaseClosing);
  }

  /** How long the requested permits should last: see {@link Lease}. */
  private long wantedNanos() {
    long nanos = leaseMicros * 1000;
    return scriptPlan.isMoved() ? nanos + nanos / 4 : nanos - nanos / 8;
  }

  private @Nullable Lease lease(String key) {
    Lease known = table.get(key);
    if (known != null || isOver || key.length() > MAX_KEY_LENGTH || !leaseManager.takePlace()) {
      return known;
    }
    Lease lease = new Lease(key);
    Lease other = table.putIfAbsent(key, lease);
    if (other != null) {
      leaseManager.leavePlace();
      return other;
    }
    if (isOver) { // the thread that ended all leases may have missed this one
      remove(lease, isGivenBack);
    } else if (isSwept.compareAndSet(false, true)) {
      leaseManager.sweep(this, sweepNanos());
    }
    return lease;
  }

  private long sweepNanos() {
    return Math.max(SHORTEST_SWEEP, scriptPlan.isMoved() ? awaitedNanos() : leaseMicros * 1000 / 2);
  }

  private void remove(Lease lease, boolean lateIsGivenBack) {
    lease.end(lateIsGivenBack);
    if (table.remove(lease.key(), lease)) {
      leaseManager.leavePlace();
    }
  }

  long leaseMicros() {
    return leaseMicros;
  }

  long nanos() {
    return leaseManager.nanos();
  }

  /** A call with a request in advance has ended. */
  void heard() {
    leaseManager.heard();
  }

  /** Starts to spend {@code fresh}, and gives back the rest of the previous grant. */
  void begin(Lease lease, Grant fresh) {
    Grant before = lease.replace(fresh);
    if (before != null && (before != fresh || lease.isGivenBack())) {
      giveBack(lease.key(), before);
    }
  }

  private void giveBack(String key, Grant grant) {
    LeaseClosing leaseClosing = grant.end(leaseManager::nanos);
    if (leaseClosing != null) {
      leaseManager.close(corrections, scriptPlan, key, leaseClosing);
      return;
    }
    long rest = grant.close();
    if (rest > 0) {
      leaseManager.giveBack(corrections, scriptPlan, key, grant.chargeMarks(), rest);
    }
  }

  /** Gives back the rest of ended leases, and forgets idle keys. */
  void sweep() {
    long nanos = leaseManager.nanos();
    for (Lease lease : table.values()) {
      Grant grant = lease.grant();
      boolean isLive = grant != null && !grant.isOver(nanos);
      if (grant != null && grant.isOver(nanos - awaitedNanos()) && grant.hasRest()) {
        giveBack(lease.key(), grant);
      }
      if (!isLive && lease.isIdle(nanos, IDLE_LEASES * leaseMicros * 1000)) {
        remove(lease, true);
      }
    }
  }

  /** How long to wait for a call that can close the lease as well. */
  private long awaitedNanos() {
    return scriptPlan.isMoved() ? leaseMicros * 1000 / 8 : 0;
  }

  /** Runs {@link #sweep} periodically while there are leases. */
  void sweepOn() {
    sweep();
    if (table.isEmpty()) {
      leaseManager.rests(this); // before others can start, which would rest too
      isSwept.set(false);
      if (table.isEmpty() || !isSwept.compareAndSet(false, true)) {
        return;
      }
    }
    leaseManager.sweep(this, sweepNanos());
  }

  /** Forgets the leased permits of {@code key}, because its charge is being reset. */
  void drop(String key) {
    Lease lease = table.get(key);
    if (lease != null) {
      remove(lease, false);
      forget(lease);
    }
  }

  /** Stops spending the leased permits of {@code key}: Redis has reset its charge. */
  void forget(String key) {
    Lease lease = table.get(key);
    if (lease != null) {
      forget(lease);
    }
  }

  private static void forget(Lease lease) {
    Grant grant = lease.grant();
    if (grant != null) {
      grant.close();
    }
  }

  /**
   * Stops all leasing.
   *
   * @param areGivenBack whether the rest is given back, rather than left to expire
   */
  void end(boolean areGivenBack) {
    isGivenBack = areGivenBack;
    isOver = true;
    for (Lease lease : table.values()) {
      remove(lease, areGivenBack);
      Grant grant = lease.grant();
      if (grant != null && areGivenBack && grant.hasRest()) {
        giveBack(lease.key(), grant);
      } else {
        forget(lease);
      }
    }
  }

  /** The permits that a check took from a lease. */
  record Spent(Grant grant, long cost, long left, long nanos) {
    Decision decision() {
      return grant.decision(cost, left, nanos);
    }
  }
}
