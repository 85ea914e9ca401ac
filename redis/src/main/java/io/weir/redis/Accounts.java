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
final class Accounts {
  /*
   * The reply to a message contains the sum of all grants that nodes have sent for the key. Its
   * growth since the last reply, minus what this node sent, was granted by others. That is charged
   * here, even if it does not fit, unless it has already come back with time: never more than is
   * spent in Redis beyond the last message. So the buckets of this node contain all grants: its own
   * at once, those of other nodes a little later, and nothing twice.
   *
   * The first reply has no earlier one for comparison. Everything spent in Redis beyond the message
   * counts as granted by others. That is correct because an account is kept until everything that
   * it sent has come back with time. If it is not kept, as after a restart of Redis that lost only
   * the sum, something is charged twice: the node refuses too much, never too little.
   *
   * A message with an unknown result is repeated for the same reason, with exponential backoff. A
   * check of the key triggers an earlier retry, and is refused until then.
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

  /** Charges the grants of other nodes to {@code local}. */
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

  /** Switches to other limits; grants stay charged. */
  void changeTo(Plan changed) {
    plan = changed;
    pace = new Pace(changed, desk.syncNanos());
  }

  /** Records a grant of {@code permits} for {@code key} by this node. */
  void granted(String key, long permits) {
    add(account(key), permits);
  }

  private void add(Account account, long permits) {
    if (account.add(permits)) {
      begin(account);
    }
    handOn(account);
  }

  /** Moves grants made after an account's end to a new account. */
  private void handOn(Account account) {
    long rest = account.rest();
    if (rest > 0) {
      table.remove(account.key(), account); // the thread that ended it may not have removed it yet
      granted(account.key(), rest);
    }
  }

  /** The account of {@code key}; null if there is none. */
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

  /** Whether recent messages for {@code key} have failed. If so, another is sent soon. */
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

  /** Forgets the grants of {@code key}. */
  void forget(String key) {
    Account account = table.get(key);
    if (account != null) {
      account.forget();
    }
  }

  /** Takes back up to {@code permits} of {@code key} that were not sent yet; returns how many. */
  long takeBack(String key, long permits) {
    Account account = table.get(key);
    return account == null ? 0 : account.takeBack(permits);
  }

  /** Sends the grants of all keys at once. */
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

  /** Handles the result of a message. */
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
        account.unheard(others); // the limits have changed
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

  /** Forgets keys with no outstanding permits. */
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

  /** Runs {@link #sweep} periodically while there are accounts. */
  void sweepOn() {
    sweep();
    if (table.isEmpty()) {
      desk.rests(this); // before others can start, which would rest too
      isSwept.set(false);
      if (table.isEmpty() || !isSwept.compareAndSet(false, true)) {
        return;
      }
    }
    desk.sweep(this, pace.sweepNanos());
  }

  /** The number of keys in memory. */
  long keys() {
    return table.mappingCount();
  }
}
