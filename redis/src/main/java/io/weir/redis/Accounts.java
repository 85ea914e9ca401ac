package io.weir.redis;

import io.weir.Buckets;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What this node has granted by itself of one limiter's keys, on its way to Redis; and what the
 * others have granted, on its way here.
 *
 * <p>A grant costs a look into a map and an addition. A key that rested is told of at once, and
 * from then on at most once in {@code sync}, all its grants since the last time in one message.
 */
final class Accounts {
  /*
   * The reply to a message tells the sum of what all nodes have told of the key so far. By how much
   * more it has grown than this node has told since the last reply is what the others have granted:
   * that is charged here, there or not, unless it has come back by time already: no more than is
   * spent in Redis besides what was told just now. So the buckets of this node hold what everybody
   * has granted, its own at once and that of others a little late, and nothing twice.
   *
   * The first reply has none before it to be compared with: what is spent in Redis and was not told
   * just now is others'. That is true because an account is kept until all that it has told of has
   * come back by time. Where it is not, as after a restart of Redis that lost the sum alone,
   * something is charged twice: a no too many.
   *
   * A message whose fate is unknown is repeated, for the same reason.
   */

  private static final int LONGEST_KEY = 1024;
  private static final int SYNCS_IN_A_SPAN = 10;
  private static final long SHORTEST_SYNC = Duration.ofMillis(1).toNanos();
  private static final long SHORTEST_RETRY = Duration.ofMillis(100).toNanos();
  private static final long SHORTEST_SWEEP = Duration.ofSeconds(1).toNanos();
  private static final long LONGEST_SWEEP = Duration.ofMinutes(1).toNanos();
  private static final long LINGER_MICROS = 1_000_000;

  private final AccountDesk desk;
  private final Buckets local;
  private final long mostKeys;
  private final ConcurrentHashMap<String, Account> table = new ConcurrentHashMap<>();
  private final AtomicBoolean isSwept = new AtomicBoolean();
  private volatile Plan plan;

  /** Charges to {@code local} what others grant. */
  Accounts(AccountDesk desk, Plan plan, Buckets local, long mostKeys) {
    this.desk = desk;
    this.plan = plan;
    this.local = local;
    this.mostKeys = mostKeys;
  }

  Plan plan() {
    return plan;
  }

  /** From now on by other limits; what was granted stays granted. */
  void changeTo(Plan changed) {
    plan = changed;
  }

  private long syncNanos() {
    long ofSpan = plan.shortestSpanMicros() / SYNCS_IN_A_SPAN * 1000;
    return Math.max(SHORTEST_SYNC, Math.min(desk.syncNanos(), ofSpan));
  }

  /** After this time all that was told has come back: a bucket may owe as much as it holds. */
  private long lifeMicros() {
    return 2 * plan.memoryMicros() + LINGER_MICROS;
  }

  /** This node has granted {@code permits} of {@code key}. */
  void granted(String key, long permits) {
    add(account(key), permits);
  }

  private void add(Account account, long permits) {
    if (account.add(permits)) {
      begin(account);
    }
    handOn(account);
  }

  /** What came after its end is another's. */
  private void handOn(Account account) {
    long rest = account.rest();
    if (rest > 0) {
      granted(account.key(), rest);
    }
  }

  /** The account of {@code key}, if it has one already. */
  @Nullable Account known(String key) {
    return table.get(key);
  }

  private Account account(String key) {
    Account known = table.get(key);
    if (known != null) {
      return known;
    }
    boolean isPlaced = key.length() <= LONGEST_KEY && table.mappingCount() < mostKeys;
    Account account = new Account(key, isPlaced, desk.nanos() - syncNanos());
    if (!isPlaced) {
      return account;
    }
    Account other = table.putIfAbsent(key, account);
    if (isSwept.compareAndSet(false, true)) {
      desk.sweep(this, sweepNanos());
    }
    return other == null ? account : other;
  }

  /** Whether Redis could not be told of {@code key} lately. */
  boolean isCutOff(String key) {
    Account account = table.get(key);
    return account != null && account.isCutOff();
  }

  /** Forgets what was granted of {@code key}. */
  void forget(String key) {
    Account account = table.get(key);
    if (account != null) {
      account.forget();
    }
  }

  /** Takes back up to {@code permits} of {@code key} that are not told yet, and tells how many. */
  long takeBack(String key, long permits) {
    Account account = table.get(key);
    return account == null ? 0 : account.takeBack(permits);
  }

  /** Tells of all keys at once. */
  void flush() {
    table.values().forEach(this::send);
  }

  private void begin(Account account) {
    long wait = account.sentNanos() + syncNanos() - desk.nanos();
    if (wait <= 0 || desk.isClosing()) {
      send(account);
    } else {
      desk.after(wait, () -> send(account));
    }
  }

  private void send(Account account) {
    if (!account.departs()) {
      return;
    }
    long permits = account.message(desk.nanos());
    if (permits > 0) {
      desk.tell(account.key(), permits, lifeMicros(), new Answer(plan, account, permits));
    } else {
      goOn(account);
    }
  }

  private void goOn(Account account) {
    if (account.goOn()) {
      begin(account);
    }
  }

  /** What becomes of a message. */
  private final class Answer implements AccountDesk.Listener {
    private final Plan by;
    private final Account account;
    private final long permits;

    Answer(Plan by, Account account, long permits) {
      this.by = by;
      this.account = account;
      this.permits = permits;
    }

    @Override
    public Plan plan() {
      return by;
    }

    @Override
    public void heard(Told told) {
      long[] others = account.heard(told, permits);
      if (others.length > 0 && by == plan) {
        local.force(account.key(), others);
      }
      goOn(account);
    }

    @Override
    public void failed() {
      account.failed(permits);
      if (account.goOn() && !desk.isClosing()) {
        desk.after(Math.max(syncNanos(), SHORTEST_RETRY), () -> send(account));
      }
    }
  }

  private long sweepNanos() {
    return Math.max(SHORTEST_SWEEP, Math.min(LONGEST_SWEEP, lifeMicros() * 1000 / 4));
  }

  /** Forgets keys of which all has come back. */
  void sweep() {
    long nanos = desk.nanos();
    long life = lifeMicros() * 1000;
    for (Account account : table.values()) {
      if (nanos - account.sentNanos() > life && account.drop()) {
        table.remove(account.key(), account);
        handOn(account);
      }
    }
  }

  /** {@link #sweep}s again and again, as long as there is anything to. */
  void sweepOn() {
    sweep();
    if (table.isEmpty()) {
      desk.rests(this); // before others can begin: they would rest too
      isSwept.set(false);
      if (table.isEmpty() || !isSwept.compareAndSet(false, true)) {
        return;
      }
    }
    desk.sweep(this, sweepNanos());
  }

  /** How many keys are remembered. */
  long keys() {
    return table.mappingCount();
  }
}
