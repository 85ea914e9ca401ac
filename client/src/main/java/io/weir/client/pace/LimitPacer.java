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
 * request when a permit has come back. <b>In company</b>, no client knows how many others there
 * are. But all see the same level, and each sets its rate by it. Above the reserve it adds a
 * little; below, it takes off a fraction. So the rates of all add up to the refill at that level,
 * and become equal (as those of TCP senders do). The sending rate follows the level at once and
 * looks ahead by its trend: a client with two requests a second sees a fall half a second late.
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

  /** While nothing is known of a limit, one request goes per this time, or per answer. */
  private static final long FEELING_WAY = 500_000_000L;

  /** The most requests in flight before anything is known, however many errors come. */
  private static final int MAX_AHEAD = 32;

  /**
   * A client that seems to be alone leaves half to others, which may be about to start, for this
   * long.
   */
  private static final long ACQUAINTANCE = 1_000_000_000L;

  /** Seconds for which others are assumed after they were last noticed. */
  private static final double MEMORY_OF_OTHERS = 30;

  private final RandomGenerator random;
  private final long longestBelief;
  private final LimitEstimate limitEstimate = new LimitEstimate();
  private final UsageShare usageShare = new UsageShare();
  private final AimdRate aimdRate = new AimdRate(limitEstimate, usageShare);
  private final InFlight inFlight = new InFlight();

  private long metAt;
  private int ahead = 1;
  private boolean inCompany;
  private long companyUntil;
  private boolean blocked;
  private long blockedUntil;
  private long saidUntil;
  private long lastSent;
  private long toldSentAt;
  private double luck = 0.5;
  private @Nullable Quota last;

  /**
   * Starts with nothing known of the limit.
   *
   * @param longestBelief how long a server's statement that nothing is left is trusted
   */
  public LimitPacer(RandomGenerator random, Duration longestBelief) {
    this.random = random;
    this.longestBelief = longestBelief.toNanos();
  }

  /** Records that a request is sent. */
  public void sent(long now) {
    inFlight.sent(now);
    lastSent = now;
    luck = random.nextDouble();
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
  void feelWay() {
    ahead = 1;
  }

  /** Applies what an answer said of this limit. */
  public void answered(Quota quota, long sentAt, long now) {
    lost(sentAt);
    last = quota;
    if (quota.remaining().isEmpty()) {
      return;
    }
    double said = quota.remaining().getAsLong();
    boolean follows = limitEstimate.isKnown() && !limitEstimate.hasTurned(now);
    boolean isFirst = usageShare.samples() == 0 && !aimdRate.isSet();
    if (follows
        && isFirst
        && sentAt - limitEstimate.toldAt() < 0) { // sent before anything was known
      limitEstimate.lower(said, now);
      return;
    }
    if (follows && sentAt - toldSentAt < 0) { // overtaken by a later answer
      usageShare.note(1, Math.max(0, limitEstimate.overtaken(said, now)));
      limitEstimate.lower(said, now);
      return;
    }
    if (follows) {
      note(1, limitEstimate.spent(said, now), now);
    } else if (inCompany) { // shares start equal in a new window
      usageShare.forget();
    }
    if (!limitEstimate.isKnown()) {
      metAt = now;
    }
    double elapsed = follows ? (now - limitEstimate.toldAt()) / SECOND : 0;
    boolean wasDry = limitEstimate.isDry();
    boolean wasCyclic = limitEstimate.isCyclic();
    inFlight.counted(sentAt);
    limitEstimate.tell(
        quota, believable(said, follows, sentAt, now), aimdRate.aSecond(), sentAt, now);
    if (limitEstimate.isCyclic()
        && !wasCyclic) { // until now, late refill counted as spent by others
      companyUntil = now + 3 * limitEstimate.period();
    }
    if (inCompany || !limitEstimate.isCyclic()) { // alone, all go at once, which shows no rate
      aimdRate.steer(elapsed, wasDry);
    }
    toldSentAt = sentAt;
    blocked = false;
  }

  /**
   * The order in which the server counted requests in flight is unknown. Alone, an answer with more
   * left may have been counted first, so it is capped.
   */
  private double believable(double said, boolean follows, long sentAt, long now) {
    return follows
            && !inCompany
            && !limitEstimate.isCyclic()
            && sentAt - limitEstimate.toldAt() <= 0
        ? Math.min(said, limitEstimate.left() + limitEstimate.grown(now))
        : said;
  }

  private void note(double own, double spent, long now) {
    boolean isLeap = spent < -0.1 * limitEstimate.limit(); // much came back: spending is unknown
    usageShare.note(own, isLeap ? own : spent);
    if (usageShare.hasOthers()) {
      if (!inCompany && usageShare.samples() > 1) { // earlier samples do not show the share
        usageShare.forget();
        usageShare.note(own, isLeap ? own : spent);
        aimdRate.forget();
      }
      inCompany = true;
      double least =
          limitEstimate.isCyclic() ? 0 : MEMORY_OF_OTHERS; // others show again in each window
      companyUntil = now + (long) (Math.max(least, 3 * limitEstimate.window()) * SECOND);
    } else if (inCompany && now - companyUntil > 0) {
      inCompany = false;
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
        aimdRate.isSet() ? Math.min(SECOND / aimdRate.aSecond(), longestBelief / 4.0) : SECOND;
    blocked = true;
    long wait = Math.max(0, retryAfter.toNanos());
    saidUntil = now + wait;
    blockedUntil = now + believed(wait) + (long) (spread * random.nextDouble());
    toldSentAt = now;
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
            * (double) believed(SECOND / (inCompany ? aimdRate.steered() : limitEstimate.refill()));
  }

  /** Nanoseconds until the next may go; zero or less if it may go now. */
  public long delay(long now) {
    if (isBlocked(now)) {
      return blockedUntil - now;
    }
    if (limitEstimate.hasTurned(now)) {
      return inFlight.all() == 0 ? afterDry() - now : feelingWay(now);
    }
    if (!limitEstimate.isKnown()) {
      return inFlight.all() < ahead ? 0 : feelingWay(now);
    }
    long wait = delayKnown(now);
    boolean isDoubtful = wait > 0 && now - limitEstimate.toldAt() >= longestBelief;
    return isDoubtful ? oneAhead(now) : Math.min(wait, longestBelief);
  }

  /**
   * Nanoseconds until the next may go. If the server said that nothing is left, its time counts,
   * however long; otherwise the delay.
   */
  long foreseen(long now) {
    long delay = delay(now);
    if (isBlocked(now)) {
      return Math.max(delay, saidUntil - now);
    }
    boolean isEmpty = limitEstimate.isKnown() && !limitEstimate.hasTurned(now) && missing(now) > 0;
    return delay > 0 && isEmpty && now - limitEstimate.toldAt() < longestBelief
        ? (long) Math.max(delay, limitEstimate.until(missing(now), now))
        : delay;
  }

  /** Whether nothing the server said of this limit can delay a request any more. */
  boolean isOver(long now) {
    return !isBlocked(now)
        && (limitEstimate.isOver(now) || now - limitEstimate.toldAt() >= longestBelief);
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
    return inFlight.all() == 0 ? 0 : feelingWay(now);
  }

  private long feelingWay(long now) {
    return lastSent + FEELING_WAY - now;
  }

  private long delayKnown(long now) {
    if (usageShare.samples() == 0) {
      return delayAtFirst(now);
    }
    if (inFlight.all() >= 2 << Math.min(usageShare.samples(), 20)) {
      return feelingWay(now);
    }
    return inCompany ? delayInCompany(now) : delayAlone(now);
  }

  /**
   * After the first answer. If others have spent much, they may all be about to send their second
   * request.
   */
  private long delayAtFirst(long now) {
    if (missing(now) > 0) {
      return (long) limitEstimate.until(missing(now), now);
    }
    long meeting = lastSent + (long) (luck * ACQUAINTANCE) - now;
    boolean isMuch = limitEstimate.isDry() || limitEstimate.left() >= limitEstimate.limit() / 2;
    return isMuch ? oneAhead(now) : Math.max(oneAhead(now), meeting);
  }

  private long delayAlone(long now) {
    double missing = missing(now);
    if (missing > 0) {
      return (long) limitEstimate.until(missing, now);
    }
    boolean isMuch = missing + limitEstimate.limit() / 2 <= 0;
    return isMuch || now - metAt >= ACQUAINTANCE ? 0 : metAt + ACQUAINTANCE - now;
  }

  private long delayInCompany(long now) {
    double left =
        limitEstimate.left() - inFlight.all() + usageShare.part() * limitEstimate.grown(now);
    double spare = left - limitEstimate.limit() / 2 - aimdRate.reserve();
    if (spare * usageShare.part() >= 1) {
      return 0;
    }
    if (limitEstimate.isCyclic() && missing(now) > 0) { // others would all return at once as well
      double spread = luck * believed(SECOND / aimdRate.steered()) / 2;
      return (long) (limitEstimate.until(missing(now), now) + spread);
    }
    if (!limitEstimate.isDry()) {
      return lastSent + believed((0.75 + 0.5 * luck) * SECOND / aimdRate.steered()) - now;
    }
    double mine = Math.max(left - aimdRate.reserve() / 2, 1e-9) * usageShare.part();
    double dry = limitEstimate.dryUntil() - lastSent;
    double gap = (0.1 + 1.8 * luck) * dry / mine;
    return (gap > dry ? afterDry() : lastSent + (long) gap) - now;
  }

  private long afterDry() {
    double spread = inCompany ? luck * SECOND / (usageShare.part() * limitEstimate.refill()) : 0;
    return limitEstimate.dryUntil() + believed(spread);
  }

  /** Nanoseconds, at most the trusted time, which also prevents overflow. */
  private long believed(double nanos) {
    return (long) Math.min(nanos, longestBelief);
  }
}
