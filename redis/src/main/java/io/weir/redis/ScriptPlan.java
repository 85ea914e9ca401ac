package io.weir.redis;

import io.weir.Limit;
import io.weir.algorithm.Algorithm.Mark;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The limits of one limiter in the form of the scripts: writes the message for each verb, and reads
 * the reply. Thread-safe.
 *
 * <p>Times are microseconds since the epoch. A negative one stands for the server's own time, which
 * production uses.
 */
final class ScriptPlan {
  /*
   * The most common request, one permit of one limit by the server's time, is only the limit's
   * constant bytes. Any other adds a request to the limits. See verbs.lua.
   *
   * Scripts do not know the calendar. For calendar windows they receive the starts of the windows
   * around the present. These come from this machine's clock, corrected by the server's time in the
   * last reply. A server with a time beyond them returns only that time; see isMisdated.
   */

  /** The maximum number of combined checks: more would not be exact in a script. */
  static final int MAX_TIMES = 1 << 20;

  private static final long SERVER_TIME = 0;
  private static final long BY_SERVER = -1; // or any other negative time
  private static final long LATEST_MICROS = (1L << 42) * 1000 - 1;
  private static final long NEVER = -1;
  private static final long MISDATED = -1;
  private static final long FALLS_FASTER = -2; // minus how many were granted
  private static final long MAX_MICROS = 1L << 53;
  private static final int SHORTEST_REPLY = 2; // of a reset, or of a misdated message

  private static final Map<String, Script> SCRIPTS = new ConcurrentHashMap<>();
  private static final Script TAKE = Script.of("take", "base", "gcra", "verbs");
  private static final ScriptMessage RESET = new ScriptMessage(Script.of("reset"), new byte[0][]);

  private final List<Limit> limits;
  private final LimitCodec[] terms;
  private final BucketName[] names;
  private final Script script;
  private final Script take;
  private final long minCapacity;
  private final boolean isPlain;
  private final boolean isOfCalendar;
  private final boolean isLeased;
  private final boolean isMoved;
  private final long marginMicros; // of a strict charge; 0 for any other
  private final byte[] clockStep; // in milliseconds: how much longer its buckets are kept
  private final long leaseMicros;
  private final int numbers;
  private final @Nullable ScriptMessage takeOne;
  private final @Nullable BucketName sum;
  private volatile long serverAheadMicros; // relative to this machine's clock

  private ScriptPlan(
      String prefix,
      String name,
      List<Limit> limits,
      boolean isLeased,
      long marginMicros,
      Duration clockStep,
      @Nullable BucketName sum) {
    this.limits = List.copyOf(limits);
    this.marginMicros = marginMicros;
    this.clockStep = Long.toString(clockStep.toMillis()).getBytes(StandardCharsets.US_ASCII);
    boolean isAhead = isLeased || marginMicros > 0;
    // A charge with a margin takes effect later than it is made, and cannot be moved.
    boolean mayMove = isLeased && marginMicros == 0;
    terms =
        this.limits.stream()
            .map(limit -> LimitCodec.of(limit, mayMove, isAhead))
            .toArray(LimitCodec[]::new);
    names =
        this.limits.stream()
            .map(limit -> new BucketName(prefix, name, limit))
            .toArray(BucketName[]::new);
    this.sum = sum;
    script = script(terms, sum == null ? "base " : "base sum ");
    boolean isOneBucket = sum == null && terms.length == 1 && terms[0].file().equals("gcra");
    take = isOneBucket ? TAKE : script;
    minCapacity = this.limits.stream().mapToLong(Limit::capacity).min().orElse(0);
    boolean plain = true;
    boolean calendar = false;
    int count = 0;
    for (LimitCodec each : terms) {
      plain &= !each.algorithm.countsRejected();
      calendar |= each.isOfCalendar();
      count += each.numbers();
    }
    isPlain = plain;
    this.isLeased = isLeased;
    isMoved = isLeased && Arrays.stream(terms).allMatch(LimitCodec::canMove);
    leaseMicros =
        Arrays.stream(terms)
            .mapToLong(each -> each.leaseMicros(isMoved))
            .min()
            .orElse(LimitCodec.MAX_LEASE_MICROS);
    isOfCalendar = calendar;
    numbers = count;
    takeOne = calendar ? null : takeOne();
  }

  private ScriptMessage takeOne() {
    return marginMicros > 0
        ? message(take, 't', 1, 1, BY_SERVER, 0, null)
        : new ScriptMessage(take, packed(1, null, 0, false));
  }

  /** The plan of the limiter {@code name} in a store with keys that begin with {@code prefix}. */
  static ScriptPlan of(String prefix, String name, List<Limit> limits) {
    return new ScriptPlan(prefix, name, limits, false, 0, Duration.ZERO, null);
  }

  /** {@link #of} for a limiter with permits taken in advance. */
  static ScriptPlan leased(String prefix, String name, List<Limit> limits) {
    return new ScriptPlan(prefix, name, limits, true, 0, Duration.ZERO, null);
  }

  /**
   * {@link #of} for a limiter with charges that take effect later than they are made, and that
   * never reserves.
   *
   * @param marginMicros by how much at least; positive
   * @param clockStep how long its buckets are kept after their end
   */
  static ScriptPlan strict(
      String prefix, String name, List<Limit> limits, long marginMicros, Duration clockStep) {
    return new ScriptPlan(prefix, name, limits, false, marginMicros, clockStep, null);
  }

  /** Both {@link #leased} and {@link #strict}. */
  static ScriptPlan leasedStrictly(
      String prefix, String name, List<Limit> limits, long marginMicros, Duration clockStep) {
    return new ScriptPlan(prefix, name, limits, true, marginMicros, clockStep, null);
  }

  /**
   * {@link #of} for a limiter with nodes that decide locally and send {@link #reportGrants}
   * afterwards.
   */
  static ScriptPlan eventual(String prefix, String name, List<Limit> limits) {
    return new ScriptPlan(
        prefix, name, limits, false, 0, Duration.ZERO, BucketName.ofSum(prefix, name));
  }

  /** Contains only the necessary algorithms, because each adds time to every run of the script. */
  private static Script script(LimitCodec[] terms, String first) {
    TreeSet<String> files = new TreeSet<>();
    for (LimitCodec each : terms) {
      files.add(each.file());
    }
    return SCRIPTS.computeIfAbsent(
        first + String.join(" ", files), all -> Script.of((all + " verbs").split(" ", -1)));
  }

  /** The scripts of all plans so far. */
  static List<Script> scripts() {
    List<Script> all = new ArrayList<>(SCRIPTS.values());
    all.add(TAKE);
    all.add(RESET.script());
    return all;
  }

  List<Limit> limits() {
    return limits;
  }

  /** Whether refusals leave no trace, so that they can be cached and checks can be combined. */
  boolean isPlain() {
    return isPlain;
  }

  /** Whether nodes take permits in advance. */
  boolean isLeased() {
    return isLeased;
  }

  /** Whether spent permits of a lease move to the time of their use once the lease is over. */
  boolean isMoved() {
    return isMoved;
  }

  private boolean mayBeAhead() {
    return isLeased || marginMicros > 0;
  }

  /** The maximum length of a lease: a part of the time in which a limit's permits come back. */
  long leaseMicros() {
    return leaseMicros;
  }

  /** The buckets of {@code key}, one for each limit; then its sum, if nodes send their grants. */
  byte[][] keys(String key) {
    byte[] tag = BucketName.tag(key);
    byte[][] keys = new byte[names.length + (sum == null ? 0 : 1)][];
    for (int i = 0; i < names.length; i++) {
      keys[i] = names[i].of(tag);
    }
    if (sum != null) {
      keys[names.length] = sum.of(tag);
    }
    return keys;
  }

  /** Takes {@code times} times {@code cost}, as many as fit; once if not plain. */
  ScriptMessage take(long cost, int times, long atMicros) {
    if (times < 1 || times > MAX_TIMES || (times > 1 && !isPlain)) {
      throw new IllegalArgumentException("times must not be " + times);
    }
    ScriptMessage one = takeOne;
    if (one != null && cost == 1 && times == 1 && atMicros < 0 && minCapacity > 0) {
      return one;
    }
    return canFit(cost) ? message(take, 't', cost, times, atMicros, 0, null) : peek(cost, atMicros);
  }

  /**
   * {@link #take}s for {@code own} waiting requests, and leases up to {@code more} times {@code
   * cost} in addition, for up to {@code maxMicros}.
   *
   * @param shares the free permits are divided by this, and at most one part is leased
   * @param leaseClosing the previous lease, which is closed first; null if there is none
   */
  ScriptMessage lease(
      long cost,
      int own,
      int more,
      int shares,
      long maxMicros,
      @Nullable LeaseClosing leaseClosing,
      long atMicros) {
    if (own + (long) more * shares > MAX_TIMES || !isLeased || !canFit(cost)) {
      throw new IllegalArgumentException(own + " and " + more + " of " + cost + " are not leased");
    }
    PackedNumbers request =
        request('l', cost, own + more, atMicros, maxMicros).number(own, 4).number(shares, 4);
    return leaseClosing == null
        ? message(script, cost, atMicros, null, request)
        : message(script, cost, atMicros, leaseClosing.charged(), leaseClosing.pack(request));
  }

  /** Closes a lease with uses that move. */
  ScriptMessage close(LeaseClosing leaseClosing, long atMicros) {
    PackedNumbers request = request('c', 0, 0, atMicros, 0).number(0, 4).number(1, 4);
    return message(script, 0, atMicros, leaseClosing.charged(), leaseClosing.pack(request));
  }

  boolean canFit(long cost) {
    return cost > 0 && cost <= minCapacity;
  }

  /** The result that a single {@link #take} would have. */
  ScriptMessage peek(long cost, long atMicros) {
    return message(script, 'p', cost, 1, atMicros, 0, null);
  }

  /** Takes for the earliest moment within {@code maxWaitNanos}. */
  ScriptMessage reserve(long cost, long maxWaitNanos, long atMicros) {
    if (cost == 0) {
      return peek(0, atMicros);
    }
    // A strict limiter does not reserve: the grant could be used when it is no longer known.
    long maxWaitMicros = marginMicros > 0 ? 0 : maxWaitNanos / 1000;
    return message(script, 'r', cost, 1, atMicros, canFit(cost) ? maxWaitMicros : NEVER, null);
  }

  /**
   * Corrects a charge of {@code cost} to {@code actualCost}. A charge under other limits gets
   * nothing back.
   */
  ScriptMessage settle(ChargeMarks chargeMarks, long cost, long actualCost, long atMicros) {
    if (actualCost > cost) {
      return message(script, 'f', actualCost - cost, 1, atMicros, 0, null);
    }
    boolean isOurs = chargeMarks.scriptPlan() == this && !chargeMarks.marks().isEmpty();
    return isOurs && actualCost < cost
        ? message(
            script,
            'g',
            cost - actualCost,
            1,
            atMicros,
            mayBeAhead() ? LimitCodec.MAX_LEASE_MICROS : 0,
            chargeMarks)
        : peek(0, atMicros);
  }

  /** Charges {@code permits} to every limit, even if they do not fit. */
  ScriptMessage chargeInFull(long permits, long atMicros) {
    boolean isCharged = permits > 0 && minCapacity > 0;
    return isCharged ? message(script, 'f', permits, 1, atMicros, 0, null) : peek(0, atMicros);
  }

  /** Records a refused request for limits that count refused ones. */
  ScriptMessage reject(long cost, long atMicros) {
    return canFit(cost) ? message(script, 'j', cost, 1, atMicros, 0, null) : peek(0, atMicros);
  }

  /** Gives back without a receipt. */
  ScriptMessage refund(long permits, long atMicros) {
    return message(script, 'b', permits, 1, atMicros, 0, null);
  }

  /**
   * Charges {@code permits} that a node has granted locally, even if they do not fit.
   *
   * @param lifeMicros how long the sum is kept after this
   */
  ScriptMessage reportGrants(long permits, long lifeMicros, long atMicros) {
    return message(script, 'f', permits, 1, atMicros, lifeMicros, null);
  }

  /** Reads the reply to {@link #reportGrants}. */
  SyncReply syncReply(long[] reply) {
    long[] spent = new long[terms.length];
    int from = 2;
    for (int i = 0; i < terms.length; i++) {
      spent[i] = terms[i].spent(reply, from, reply[1]);
      from += terms[i].numbers();
    }
    return new SyncReply(reply[from], reply[from + 1], spent);
  }

  /** The shortest time in which all permits of a limit come back. */
  long shortestSpanMicros() {
    return Arrays.stream(terms).mapToLong(LimitCodec::spanMicros).min().orElse(0);
  }

  /** After this time no limit contains any charge that fitted. */
  long memoryMicros() {
    return limits.stream().mapToLong(limit -> limit.memory().toMillis()).max().orElse(0) * 1000;
  }

  /** Resets all buckets to full. */
  ScriptMessage reset() {
    return RESET;
  }

  /** Whether {@code reply} has the form of a reply to a message of this plan. */
  boolean isReply(long[] reply) {
    boolean isOfVerb =
        reply.length == replyLength()
            || reply.length == replyLength() + 1
            || (sum != null && reply.length == replyLength() + 2);
    return (isOfVerb || reply.length == SHORTEST_REPLY)
        && reply[0] >= FALLS_FASTER - MAX_TIMES
        && reply[0] <= MAX_TIMES
        && reply[1] > 0
        && reply[1] < MAX_MICROS;
  }

  /**
   * Whether nothing was done, because the server's time is far from the assumed time. The correct
   * time is known now, so the message must be written and sent again.
   */
  boolean isMisdated(long[] reply) {
    if (isOfCalendar) {
      serverAheadMicros = reply[1] - localMicros();
    }
    return isOfCalendar && reply[0] == MISDATED;
  }

  /**
   * Reads the reply to a take or reserve for {@code times} checks.
   *
   * @throws IllegalStateException if the reply is impossible: something was refused without a
   *     reason in its numbers, or more was granted than requested
   */
  TakeReply taken(long cost, int times, long[] reply) {
    return requireMeant(outcome(cost, reply), cost, times, 0, reply);
  }

  /** Reads the reply to a {@link #lease}. */
  TakeReply leased(long cost, int own, int more, long[] reply) {
    return requireMeant(TakeReply.ofLease(this, cost, own, reply), cost, own, more, reply);
  }

  private static TakeReply requireMeant(
      TakeReply takeReply, long cost, int times, int more, long[] reply) {
    int granted = takeReply.granted();
    boolean isFree = granted < times && cost > 0 && takeReply.decision(times - 1).allowed();
    if (isFree || granted > times + more) {
      throw new IllegalStateException(
          granted + " of " + times + " granted, by a bucket of " + Arrays.toString(reply));
    }
    return takeReply;
  }

  /** How many were granted by {@code reply}. */
  static int granted(long[] reply) {
    return (int) (fallsFaster(reply) ? FALLS_FASTER - reply[0] : reply[0]);
  }

  /**
   * Whether the waits in {@code reply} decrease faster than time passes: a faster limit of another
   * node has counted some of the permits.
   */
  static boolean fallsFaster(long[] reply) {
    return reply[0] <= FALLS_FASTER;
  }

  /** Reads the reply to a take, peek or reserve. */
  TakeReply outcome(long cost, long[] reply) {
    return new TakeReply(this, cost, reply);
  }

  private ScriptMessage message(
      Script which,
      char verb,
      long cost,
      int times,
      long atMicros,
      long maxMicros,
      @Nullable ChargeMarks chargeMarks) {
    return message(
        which, cost, atMicros, chargeMarks, request(verb, cost, times, atMicros, maxMicros));
  }

  private ScriptMessage message(
      Script which,
      long cost,
      long atMicros,
      @Nullable ChargeMarks chargeMarks,
      PackedNumbers request) {
    long time = time(atMicros);
    long about = atMicros < 0 && isOfCalendar ? known(localMicros() + serverAheadMicros) : time;
    byte[][] args = packed(cost, chargeMarks, about, true);
    if (marginMicros > 0) {
      request.number(marginMicros, 4);
      args[terms.length + 1] = clockStep;
    }
    args[terms.length] = request.toBytes();
    return new ScriptMessage(which, args);
  }

  private static PackedNumbers request(
      char verb, long cost, int times, long atMicros, long maxMicros) {
    return new PackedNumbers()
        .letter(verb)
        .number(time(atMicros), 7)
        .number(times, 4)
        .number(LimitCodec.countable(cost), 7)
        .number(maxMicros, 8);
  }

  private static long time(long atMicros) {
    return atMicros < 0 ? SERVER_TIME : known(atMicros);
  }

  private byte[][] packed(
      long cost, @Nullable ChargeMarks chargeMarks, long nowMicros, boolean isWithRequest) {
    byte[][] args = new byte[terms.length + (isWithRequest ? 1 : 0) + (marginMicros > 0 ? 1 : 0)][];
    for (int i = 0; i < terms.length; i++) {
      Mark mark = chargeMarks == null ? LimitCodec.NO_MARK : chargeMarks.marks().get(i);
      args[i] = terms[i].pack(cost, mark, nowMicros);
    }
    return args;
  }

  /** The nearest time that the algorithms can represent. */
  private static long known(long micros) {
    return Math.max(1000, Math.min(micros, LATEST_MICROS));
  }

  private static long localMicros() {
    return System.currentTimeMillis() * 1000;
  }

  LimitCodec[] terms() {
    return terms;
  }

  /** How many numbers the reply to a take or peek has; a reservation has one more. */
  int replyLength() {
    return 2 + numbers;
  }

  @Override
  public String toString() {
    return "Plan" + limits;
  }
}
