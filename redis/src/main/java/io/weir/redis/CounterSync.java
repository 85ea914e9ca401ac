package io.weir.redis;

import io.weir.Buckets;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Exchanges the grants of one limiter's keys between this node and the others, through Redis.
 *
 * <p>A grant costs a map lookup and an addition. A grant for a resting key is sent at once. After
 * that, at most one message per {@code sync} interval carries all grants since the last.
 */
final class CounterSync {
  /*
   * The reply to a message contains the sum of all grants that nodes have sent for the key. Its
   * growth since the last reply, minus what this node sent, was granted by others. That is charged
   * here, even if it does not fit, unless it has already come back with time: never more than is
   * spent in Redis beyond the last message. So the buckets of this node contain all grants: its own
   * at once, those of other nodes a little later, and nothing twice.
   *
   * The first reply has no earlier one for comparison. Everything spent in Redis beyond the message
   * counts as granted by others. That is correct because an entry is kept until everything that it
   * sent has come back with time. If it is not kept, as after a restart of Redis that lost only
   * the sum, something is charged twice: the node refuses too much, never too little.
   *
   * A message with an unknown result is repeated for the same reason, with exponential backoff. A
   * check of the key triggers an earlier retry, and is refused until then.
   */

  private static final int MAX_KEY_LENGTH = 256;
  private static final long MAX_KEYS = 1_000_000;

  private final SyncManager syncManager;
  private final Buckets local;
  private final long maxKeys;
  private final ConcurrentHashMap<String, UnsyncedGrants> table = new ConcurrentHashMap<>();
  private final AtomicBoolean isSwept = new AtomicBoolean();
  private volatile ScriptPlan scriptPlan;
  private volatile SyncSchedule syncSchedule;

  /** Charges the grants of other nodes to {@code local}. */
  CounterSync(SyncManager syncManager, ScriptPlan scriptPlan, Buckets local, long maxKeys) {
    this.syncManager = syncManager;
    this.scriptPlan = scriptPlan;
    this.syncSchedule = new SyncSchedule(scriptPlan, syncManager.syncNanos());
    this.local = local;
    this.maxKeys = Math.min(maxKeys, MAX_KEYS);
  }

  ScriptPlan scriptPlan() {
    return scriptPlan;
  }

  /** Switches to other limits; grants stay charged. */
  void changeTo(ScriptPlan changed) {
    scriptPlan = changed;
    syncSchedule = new SyncSchedule(changed, syncManager.syncNanos());
  }

  /** Records a grant of {@code permits} for {@code key} by this node. */
  void granted(String key, long permits) {
    add(account(key), permits);
  }

  private void add(UnsyncedGrants unsyncedGrants, long permits) {
    if (unsyncedGrants.add(permits)) {
      begin(unsyncedGrants);
    }
    handOn(unsyncedGrants);
  }

  /** Moves grants made after the end of an entry to a new entry. */
  private void handOn(UnsyncedGrants unsyncedGrants) {
    long rest = unsyncedGrants.rest();
    if (rest > 0) {
      table.remove(
          unsyncedGrants.key(),
          unsyncedGrants); // the thread that ended it may not have removed it yet
      granted(unsyncedGrants.key(), rest);
    }
  }

  /** The entry of {@code key}; null if there is none. */
  @Nullable UnsyncedGrants known(String key) {
    return table.get(key);
  }

  private UnsyncedGrants account(String key) {
    UnsyncedGrants known = table.get(key);
    if (known != null) {
      return known;
    }
    boolean isPlaced = key.length() <= MAX_KEY_LENGTH && table.mappingCount() < maxKeys;
    UnsyncedGrants unsyncedGrants =
        new UnsyncedGrants(key, isPlaced, syncManager.nanos() - syncSchedule.syncNanos());
    if (!isPlaced) {
      return unsyncedGrants;
    }
    UnsyncedGrants other = table.putIfAbsent(key, unsyncedGrants);
    if (isSwept.compareAndSet(false, true)) {
      syncManager.sweep(this, syncSchedule.sweepNanos());
    }
    return other == null ? unsyncedGrants : other;
  }

  /** Whether recent messages for {@code key} have failed. If so, another is sent soon. */
  boolean isCutOff(String key) {
    UnsyncedGrants unsyncedGrants = table.get(key);
    if (unsyncedGrants == null || !unsyncedGrants.isCutOff()) {
      return false;
    }
    if (syncManager.nanos() - unsyncedGrants.sentNanos() >= syncSchedule.shortestRetryNanos()) {
      send(unsyncedGrants);
    }
    return true;
  }

  /** Forgets the grants of {@code key}. */
  void forget(String key) {
    UnsyncedGrants unsyncedGrants = table.get(key);
    if (unsyncedGrants != null) {
      unsyncedGrants.forget();
    }
  }

  /** Takes back up to {@code permits} of {@code key} that were not sent yet; returns how many. */
  long takeBack(String key, long permits) {
    UnsyncedGrants unsyncedGrants = table.get(key);
    return unsyncedGrants == null ? 0 : unsyncedGrants.takeBack(permits);
  }

  /** Sends the grants of all keys at once. */
  void flush() {
    table.values().forEach(this::send);
  }

  private void begin(UnsyncedGrants unsyncedGrants) {
    long wait = unsyncedGrants.sentNanos() + syncSchedule.syncNanos() - syncManager.nanos();
    if (wait <= 0 || syncManager.isClosing()) {
      depart(unsyncedGrants);
    } else {
      syncManager.after(wait, () -> depart(unsyncedGrants));
    }
  }

  private void depart(UnsyncedGrants unsyncedGrants) {
    if (syncManager.isCrowded()) {
      syncManager.after(syncSchedule.syncNanos(), () -> depart(unsyncedGrants));
    } else {
      send(unsyncedGrants);
    }
  }

  private void send(UnsyncedGrants unsyncedGrants) {
    if (!unsyncedGrants.departs()) {
      return;
    }
    long permits = unsyncedGrants.message(syncManager.nanos());
    if (permits > 0) {
      syncManager.report(
          unsyncedGrants.key(),
          permits,
          syncSchedule.lifeMicros(),
          new ReplyHandler(scriptPlan, unsyncedGrants, permits));
    } else {
      goOn(unsyncedGrants);
    }
  }

  private void goOn(UnsyncedGrants unsyncedGrants) {
    if (unsyncedGrants.goOn()) {
      begin(unsyncedGrants);
    }
  }

  private void tryAgain(UnsyncedGrants unsyncedGrants) {
    int messages = unsyncedGrants.messages();
    syncManager.after(
        syncSchedule.retryNanos(unsyncedGrants.failures()),
        () -> {
          if (unsyncedGrants.messages() == messages) {
            depart(unsyncedGrants);
          }
        });
  }

  /** Handles the result of a message. */
  private final class ReplyHandler implements SyncManager.Listener {
    private final ScriptPlan by;
    private final UnsyncedGrants unsyncedGrants;
    private final long permits;

    ReplyHandler(ScriptPlan by, UnsyncedGrants unsyncedGrants, long permits) {
      this.by = by;
      this.unsyncedGrants = unsyncedGrants;
      this.permits = permits;
    }

    @Override
    public ScriptPlan scriptPlan() {
      return by;
    }

    @Override
    public void heard(SyncReply syncReply) {
      long[] others = unsyncedGrants.heard(syncReply, permits);
      if (by != scriptPlan) {
        unsyncedGrants.unheard(others); // the limits have changed
      } else if (others.length > 0) {
        local.force(unsyncedGrants.key(), others);
      }
      goOn(unsyncedGrants);
    }

    @Override
    public void failed() {
      boolean isKept =
          unsyncedGrants.failed(permits, syncManager.nanos(), syncSchedule.lifeNanos());
      if (!isKept || syncManager.isClosing()) {
        syncManager.lost();
      }
      if (unsyncedGrants.goOn() && !syncManager.isClosing()) {
        tryAgain(unsyncedGrants);
      }
    }
  }

  /** Forgets keys with no outstanding permits. */
  void sweep() {
    long nanos = syncManager.nanos();
    long life = syncSchedule.lifeNanos();
    for (UnsyncedGrants unsyncedGrants : table.values()) {
      if (nanos - unsyncedGrants.sentNanos() > life && unsyncedGrants.drop()) {
        table.remove(unsyncedGrants.key(), unsyncedGrants);
        handOn(unsyncedGrants);
      }
    }
  }

  /** Runs {@link #sweep} periodically while there are entries. */
  void sweepOn() {
    sweep();
    if (table.isEmpty()) {
      syncManager.rests(this); // before others can start, which would rest too
      isSwept.set(false);
      if (table.isEmpty() || !isSwept.compareAndSet(false, true)) {
        return;
      }
    }
    syncManager.sweep(this, syncSchedule.sweepNanos());
  }

  /** The number of keys in memory. */
  long keys() {
    return table.mappingCount();
  }
}
