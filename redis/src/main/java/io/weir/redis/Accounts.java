package io.weir.redis;

import io.weir.Buckets;
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
   * A message whose fate is unknown is repeated, for the same reason: after a while, then after
   * twice as long, and so on; sooner if somebody asks for the key, who is refused until then.
   */

  private static final int LONGEST_KEY = 256;
  private static final long MOST_KEYS = 1_000_000;

  private final AccountDesk desk;
  private final Buckets local;
  private final long mostKeys;
  private final ConcurrentHashMap<String, Account> table = new ConcurrentHashMap<>();
  private final AtomicBoolean isSwept = new AtomicBoolean();
  private volatile Plan plan;
  private volatile Pace pace;

  /** Charges to {@code local} what others grant. */
  Accounts(AccountDesk desk, Plan plan, Buckets local, long mostKeys) {
    this.desk = desk;
    this.plan = plan;
    this.pace = new Pace(plan, desk.syncNanos());
    this.local = local;
    this.mostKeys = Math.min(mostKeys, MOST_KEYS);
  }

  Plan plan() {
    return plan;
  }

  /** From now on by other limits; what was granted stays granted. */
  void changeTo(Plan changed) {
    plan = changed;
    pace = new Pace(changed, desk.syncNanos());
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
      table.remove(account.key(), account); // who ended it may not have come to that
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
    Account account = new Account(key, isPlaced, desk.nanos() - pace.syncNanos());
    if (!isPlaced) {
      return account;
    }
    Account other = table.putIfAbsent(key, account);
    if (isSwept.compareAndSet(false, true)) {
      desk.sweep(this, pace.sweepNanos());
    }
    return other == null ? account : other;
  }

  /** Whether Redis could not be told of {@code key} lately; it is tried again soon, if so. */
  boolean isCutOff(String key) {
    Account account = table.get(key);
    if (account == null || !account.isCutOff()) {
      return false;
    }
    if (desk.nanos() - account.sentNanos() >= pace.shortestRetryNanos()) {
      send(account);
    }
    return true;
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
    long wait = account.sentNanos() + pace.syncNanos() - desk.nanos();
    if (wait <= 0 || desk.isClosing()) {
      depart(account);
    } else {
      desk.after(wait, () -> depart(account));
    }
  }

  private void depart(Account account) {
    if (desk.isCrowded()) {
      desk.after(pace.syncNanos(), () -> depart(account));
    } else {
      send(account);
    }
  }

  private void send(Account account) {
    if (!account.departs()) {
      return;
    }
    long permits = account.message(desk.nanos());
    if (permits > 0) {
      desk.tell(account.key(), permits, pace.lifeMicros(), new Answer(plan, account, permits));
    } else {
      goOn(account);
    }
  }

  private void goOn(Account account) {
    if (account.goOn()) {
      begin(account);
    }
  }

  private void tryAgain(Account account) {
    int messages = account.messages();
    desk.after(
        pace.retryNanos(account.failures()),
        () -> {
          if (account.messages() == messages) {
            depart(account);
          }
        });
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
      if (by != plan) {
        account.unheard(others); // by other limits
      } else if (others.length > 0) {
        local.force(account.key(), others);
      }
      goOn(account);
    }

    @Override
    public void failed() {
      boolean isKept = account.failed(permits, desk.nanos(), pace.lifeNanos());
      if (!isKept || desk.isClosing()) {
        desk.lost();
      }
      if (account.goOn() && !desk.isClosing()) {
        tryAgain(account);
      }
    }
  }

  /** Forgets keys of which all has come back. */
  void sweep() {
    long nanos = desk.nanos();
    long life = pace.lifeNanos();
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
    desk.sweep(this, pace.sweepNanos());
  }

  /** How many keys are remembered. */
  long keys() {
    return table.mappingCount();
  }
}
