package io.weir.client.pace;

import io.weir.client.quota.Quota;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Decides when the next request under one limit may go. It never lets more go than are left. Where
 * other clients spend from the same limit, it takes its share and leaves the rest.
 *
 * <pre>
 *   left
 *   all  ├──────────────┐
 *        │  at once     │ this client's share of what is above the half
 *   half ├──────────────┤
 *        │  at a rate   │ that falls with what is left: steady at the reserve
 *   √all ├─ reserve ────┤
 *      0 └──────────────┘
 * </pre>
 *
 * <p><b>Alone</b>, none of this applies: everything that is left may go at once, and then each
 * request when a permit has come back. <b>With other clients</b>, their number is unknown. But all
 * see the same level, and each sets its rate by it. Above the reserve it adds a little; below, it
 * takes off a fraction. So the rates of all add up to the refill at that level, and become equal
 * (as those of TCP senders do). The sending rate follows the level at once and looks ahead by its
 * trend: a client with two requests a second sees a fall half a second late.
 *
 * <p>A limit that is <b>dry</b> until a known moment is spread until then: with 100 left for 10 s
 * and a tenth of all requests, this client sends one a second. After that moment the clients return
 * one after the other, as fast as their share of the limit.
 *
 * <p>A <b>short window</b> with a known end is treated as a bucket. Its level is the surplus over
 * even spending, and the target is zero, because what is left at the end is lost.
 *
 * <p>Worked numbers: 50 clients share a limit of 100 a second, of which 100 may go at once. The
 * first two requests of each empty it. Each saw that 50 were spent for each of its own, and goes on
 * at 2 a second, less until 10 are left again. docs/decisions/0022 has the measurements.
 *
 * <p>Not thread-safe.
 */
public final class LimitPacer {
  private static final double SECOND = 1e9;

  /** While nothing is known of a limit, one request goes per this time, or per response. */
  private static final long PROBE_INTERVAL = 500_000_000L;

  /** The most requests in flight before anything is known, however many errors come. */
  private static final int MAX_AHEAD = 32;

  /**
   * A client that seems to be alone leaves half to others, which may be about to start, for this
   * long.
   */
  private static final long NEWCOMER_GRACE = 1_000_000_000L;

  /** Seconds for which others are assumed after they were last noticed. */
  private static final double MEMORY_OF_OTHERS = 30;

  private final RandomGenerator random;
  private final long maxTrust;
  private final LimitEstimate limitEstimate = new LimitEstimate();
  private final UsageShare usageShare = new UsageShare();
  private final AimdRate aimdRate = new AimdRate(limitEstimate, usageShare);
  private final InFlight inFlight = new InFlight();

  private long knownSince;
  private int ahead = 1;
  private boolean isShared;
  private long sharedUntil;
  private boolean blocked;
  private long blockedUntil;
  private long reportedUntil;
  private long lastSent;
  private long updateSentAt;
  private double jitter = 0.5;
  private @Nullable Quota last;

  /**
   * Starts with nothing known of the limit.
   *
   * @param maxTrust how long a server's statement that nothing is left is trusted
   */
  public LimitPacer(RandomGenerator random, Duration maxTrust) {
    this.random = random;
    this.maxTrust = maxTrust.toNanos();
  }

  /** Records that a request is sent. */
  public void sent(long now) {
    inFlight.sent(now);
    lastSent = now;
    jitter = random.nextDouble();
  }

  /** Records that a request ended without information on this limit. */
  public void lost(long sentAt) {
    inFlight.ended(sentAt);
  }

  /**
   * Records that a request ended with an error and without any limit. While nothing is known, one
   * more may then be in flight: a server without limits may return nothing but errors.
   */
  void failed(long sentAt) {
    lost(sentAt);
    ahead = Math.min(ahead + 1, MAX_AHEAD);
  }

  /**
   * The server has limits: while nothing is known of this one, one request goes at a time again.
   */
  void probe() {
    ahead = 1;
  }

  /** Applies what a response reported about this limit. */
  public void responded(Quota quota, long sentAt, long now) {
    lost(sentAt);
    last = quota;
    if (quota.remaining().isEmpty()) {
      return;
    }
    double remaining = quota.remaining().getAsLong();
    boolean follows = limitEstimate.isKnown() && !limitEstimate.hasTurned(now);
    boolean isFirst = usageShare.samples() == 0 && !aimdRate.isSet();
    if (follows
        && isFirst
        && sentAt - limitEstimate.updatedAt() < 0) { // sent before anything was known
      limitEstimate.lower(remaining, now);
      return;
    }
    if (follows && sentAt - updateSentAt < 0) { // overtaken by a later response
      usageShare.note(1, Math.max(0, limitEstimate.overtaken(remaining, now)));
      limitEstimate.lower(remaining, now);
      return;
    }
    if (follows) {
      note(1, limitEstimate.spent(remaining, now), now);
    } else if (isShared) { // shares start equal in a new window
      usageShare.forget();
    }
    if (!limitEstimate.isKnown()) {
      knownSince = now;
    }
    double elapsed = follows ? (now - limitEstimate.updatedAt()) / SECOND : 0;
    boolean wasDry = limitEstimate.isDry();
    boolean wasCyclic = limitEstimate.isCyclic();
    inFlight.counted(sentAt);
    limitEstimate.update(
        quota, plausible(remaining, follows, sentAt, now), aimdRate.aSecond(), sentAt, now);
    if (limitEstimate.isCyclic()
        && !wasCyclic) { // until now, late refill counted as spent by others
      sharedUntil = now + 3 * limitEstimate.period();
    }
    if (isShared || !limitEstimate.isCyclic()) { // alone, all go at once, which shows no rate
      aimdRate.steer(elapsed, wasDry);
    }
    updateSentAt = sentAt;
    blocked = false;
  }

  /**
   * The order in which the server counted requests in flight is unknown. Alone, a response with
   * more left may have been counted first, so it is capped.
   */
  private double plausible(double remaining, boolean follows, long sentAt, long now) {
    return follows
            && !isShared
            && !limitEstimate.isCyclic()
            && sentAt - limitEstimate.updatedAt() <= 0
        ? Math.min(remaining, limitEstimate.left() + limitEstimate.grown(now))
        : remaining;
  }

  private void note(double own, double spent, long now) {
    boolean isLeap = spent < -0.1 * limitEstimate.limit(); // much came back: spending is unknown
    usageShare.note(own, isLeap ? own : spent);
    if (usageShare.hasOthers()) {
      if (!isShared && usageShare.samples() > 1) { // earlier samples do not show the share
        usageShare.forget();
        usageShare.note(own, isLeap ? own : spent);
        aimdRate.forget();
      }
      isShared = true;
      double minSeconds =
          limitEstimate.isCyclic() ? 0 : MEMORY_OF_OTHERS; // others show again in each window
      sharedUntil = now + (long) (Math.max(minSeconds, 3 * limitEstimate.window()) * SECOND);
    } else if (isShared && now - sharedUntil > 0) {
      isShared = false;
    }
  }

  /** Applies a refusal: nothing goes for {@code retryAfter}. */
  public void refused(Quota quota, Duration retryAfter, long sentAt, long now) {
    lost(sentAt);
    inFlight.counted(sentAt);
    last = quota.exhausted(retryAfter);
    if (limitEstimate.isKnown()) {
      note(0, limitEstimate.spent(0, now), now);
    }
    limitEstimate.empty(quota, now);
    aimdRate.stepBack();
    // Jitter, so that not all refused clients return at once.
    double spread =
        aimdRate.isSet() ? Math.min(SECOND / aimdRate.aSecond(), maxTrust / 4.0) : SECOND;
    blocked = true;
    long wait = Math.max(0, retryAfter.toNanos());
    reportedUntil = now + wait;
    blockedUntil = now + trusted(wait) + (long) (spread * random.nextDouble());
    updateSentAt = now;
  }

  /** The last report of the server; null if there was none. */
  @Nullable Quota last() {
    return last;
  }

  /**
   * Approximate nanoseconds for {@code ahead} earlier requests to go, beyond the delay of the
   * first; zero if unknown. What comes back at the end of a dry time covers as many as the limit
   * has.
   */
  double queue(int ahead, long now) {
    if (!limitEstimate.isKnown()) {
      return 0;
    }
    if (limitEstimate.isDry()) {
      double behind = ahead - Math.max(0, 1 - missing(now));
      return Math.floor(Math.max(0, behind) / limitEstimate.limit())
          * limitEstimate.window()
          * SECOND;
    }
    return usageShare.samples() == 0
        ? 0
        : ahead
            * (double) trusted(SECOND / (isShared ? aimdRate.steered() : limitEstimate.refill()));
  }

  /** Nanoseconds until the next may go; zero or less if it may go now. */
  public long delay(long now) {
    if (isBlocked(now)) {
      return blockedUntil - now;
    }
    if (limitEstimate.hasTurned(now)) {
      return inFlight.all() == 0 ? afterDry() - now : untilProbe(now);
    }
    if (!limitEstimate.isKnown()) {
      return inFlight.all() < ahead ? 0 : untilProbe(now);
    }
    long wait = delayKnown(now);
    boolean isDoubtful = wait > 0 && now - limitEstimate.updatedAt() >= maxTrust;
    return isDoubtful ? oneAhead(now) : Math.min(wait, maxTrust);
  }

  /**
   * Nanoseconds until the next may go. If the server reported that nothing is left, its time
   * counts, however long; otherwise the delay.
   */
  long foreseen(long now) {
    long delay = delay(now);
    if (isBlocked(now)) {
      return Math.max(delay, reportedUntil - now);
    }
    boolean isEmpty = limitEstimate.isKnown() && !limitEstimate.hasTurned(now) && missing(now) > 0;
    return delay > 0 && isEmpty && now - limitEstimate.updatedAt() < maxTrust
        ? (long) Math.max(delay, limitEstimate.until(missing(now), now))
        : delay;
  }

  /** Whether no report of the server about this limit can delay a request any more. */
  boolean isOver(long now) {
    return !isBlocked(now)
        && (limitEstimate.isOver(now) || now - limitEstimate.updatedAt() >= maxTrust);
  }

  private boolean isBlocked(long now) {
    return blocked && blockedUntil - now > 0;
  }

  /** How many permits are missing for the next request. */
  private double missing(long now) {
    double came = limitEstimate.grownBeyond(inFlight.since(now), now);
    return 1 - (limitEstimate.rest(now) - Math.max(0, inFlight.uncounted() - came));
  }

  private long oneAhead(long now) {
    return inFlight.all() == 0 ? 0 : untilProbe(now);
  }

  private long untilProbe(long now) {
    return lastSent + PROBE_INTERVAL - now;
  }

  private long delayKnown(long now) {
    if (usageShare.samples() == 0) {
      return delayAtFirst(now);
    }
    if (inFlight.all() >= 2 << Math.min(usageShare.samples(), 20)) {
      return untilProbe(now);
    }
    return isShared ? delayShared(now) : delayAlone(now);
  }

  /**
   * After the first response. If others have spent much, they may all be about to send their second
   * request.
   */
  private long delayAtFirst(long now) {
    if (missing(now) > 0) {
      return (long) limitEstimate.until(missing(now), now);
    }
    long graceLeft = lastSent + (long) (jitter * NEWCOMER_GRACE) - now;
    boolean isMuch = limitEstimate.isDry() || limitEstimate.left() >= limitEstimate.limit() / 2;
    return isMuch ? oneAhead(now) : Math.max(oneAhead(now), graceLeft);
  }

  private long delayAlone(long now) {
    double missing = missing(now);
    if (missing > 0) {
      return (long) limitEstimate.until(missing, now);
    }
    boolean isMuch = missing + limitEstimate.limit() / 2 <= 0;
    return isMuch || now - knownSince >= NEWCOMER_GRACE ? 0 : knownSince + NEWCOMER_GRACE - now;
  }

  private long delayShared(long now) {
    double left =
        limitEstimate.left() - inFlight.all() + usageShare.part() * limitEstimate.grown(now);
    double spare = left - limitEstimate.limit() / 2 - aimdRate.reserve();
    if (spare * usageShare.part() >= 1) {
      return 0;
    }
    if (limitEstimate.isCyclic() && missing(now) > 0) { // others would all return at once as well
      double spread = jitter * trusted(SECOND / aimdRate.steered()) / 2;
      return (long) (limitEstimate.until(missing(now), now) + spread);
    }
    if (!limitEstimate.isDry()) {
      return lastSent + trusted((0.75 + 0.5 * jitter) * SECOND / aimdRate.steered()) - now;
    }
    double share = Math.max(left - aimdRate.reserve() / 2, 1e-9) * usageShare.part();
    double dry = limitEstimate.dryUntil() - lastSent;
    double gap = (0.1 + 1.8 * jitter) * dry / share;
    return (gap > dry ? afterDry() : lastSent + (long) gap) - now;
  }

  private long afterDry() {
    double spread = isShared ? jitter * SECOND / (usageShare.part() * limitEstimate.refill()) : 0;
    return limitEstimate.dryUntil() + trusted(spread);
  }

  /** Nanoseconds, at most the trusted time, which also prevents overflow. */
  private long trusted(double nanos) {
    return (long) Math.min(nanos, maxTrust);
  }
}
