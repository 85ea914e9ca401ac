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
public final class Pace {
  private static final double SECOND = 1e9;

  /** While nothing is known of a limit, one request goes per this time, or per answer. */
  private static final long FEELING_WAY = 500_000_000L;

  /** The most requests in flight before anything is known, however many errors come. */
  private static final int MOST_AHEAD = 32;

  /**
   * A client that seems to be alone leaves half to others, which may be about to start, for this
   * long.
   */
  private static final long ACQUAINTANCE = 1_000_000_000L;

  /** Seconds for which others are assumed after they were last noticed. */
  private static final double MEMORY_OF_OTHERS = 30;

  private final RandomGenerator random;
  private final long longestBelief;
  private final Level level = new Level();
  private final Share share = new Share();
  private final Rate rate = new Rate(level, share);
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
  public Pace(RandomGenerator random, Duration longestBelief) {
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
    ahead = Math.min(ahead + 1, MOST_AHEAD);
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
    boolean follows = level.isKnown() && !level.hasTurned(now);
    boolean isFirst = share.samples() == 0 && !rate.isSet();
    if (follows && isFirst && sentAt - level.toldAt() < 0) { // sent before anything was known
      level.lower(said, now);
      return;
    }
    if (follows && sentAt - toldSentAt < 0) { // overtaken by a later answer
      share.note(1, Math.max(0, level.overtaken(said, now)));
      level.lower(said, now);
      return;
    }
    if (follows) {
      note(1, level.spent(said, now), now);
    } else if (inCompany) { // shares start equal in a new window
      share.forget();
    }
    if (!level.isKnown()) {
      metAt = now;
    }
    double elapsed = follows ? (now - level.toldAt()) / SECOND : 0;
    boolean wasDry = level.isDry();
    boolean wasCyclic = level.isCyclic();
    inFlight.counted(sentAt);
    level.tell(quota, believable(said, follows, sentAt, now), rate.aSecond(), sentAt, now);
    if (level.isCyclic() && !wasCyclic) { // until now, late refill counted as spent by others
      companyUntil = now + 3 * level.period();
    }
    if (inCompany || !level.isCyclic()) { // alone, all go at once, which shows no rate
      rate.steer(elapsed, wasDry);
    }
    toldSentAt = sentAt;
    blocked = false;
  }

  /**
   * The order in which the server counted requests in flight is unknown. Alone, an answer with more
   * left may have been counted first, so it is capped.
   */
  private double believable(double said, boolean follows, long sentAt, long now) {
    return follows && !inCompany && !level.isCyclic() && sentAt - level.toldAt() <= 0
        ? Math.min(said, level.left() + level.grown(now))
        : said;
  }

  private void note(double own, double spent, long now) {
    boolean isLeap = spent < -0.1 * level.limit(); // much came back: spending is unknown
    share.note(own, isLeap ? own : spent);
    if (share.hasOthers()) {
      if (!inCompany && share.samples() > 1) { // earlier samples do not show the share
        share.forget();
        share.note(own, isLeap ? own : spent);
        rate.forget();
      }
      inCompany = true;
      double least = level.isCyclic() ? 0 : MEMORY_OF_OTHERS; // others show again in each window
      companyUntil = now + (long) (Math.max(least, 3 * level.window()) * SECOND);
    } else if (inCompany && now - companyUntil > 0) {
      inCompany = false;
    }
  }

  /** Applies a refusal: nothing goes for {@code retryAfter}. */
  public void refused(Quota quota, Duration retryAfter, long sentAt, long now) {
    lost(sentAt);
    inFlight.counted(sentAt);
    last = quota.exhausted(retryAfter);
    if (level.isKnown()) {
      note(0, level.spent(0, now), now);
    }
    level.empty(quota, now);
    rate.stepBack();
    // Jitter, so that not all refused clients return at once.
    double spread = rate.isSet() ? Math.min(SECOND / rate.aSecond(), longestBelief / 4.0) : SECOND;
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
    if (!level.isKnown()) {
      return 0;
    }
    if (level.isDry()) {
      double behind = ahead - Math.max(0, 1 - missing(now));
      return Math.floor(Math.max(0, behind) / level.limit()) * level.window() * SECOND;
    }
    return share.samples() == 0
        ? 0
        : ahead * (double) believed(SECOND / (inCompany ? rate.steered() : level.refill()));
  }

  /** Nanoseconds until the next may go; zero or less if it may go now. */
  public long delay(long now) {
    if (isBlocked(now)) {
      return blockedUntil - now;
    }
    if (level.hasTurned(now)) {
      return inFlight.all() == 0 ? afterDry() - now : feelingWay(now);
    }
    if (!level.isKnown()) {
      return inFlight.all() < ahead ? 0 : feelingWay(now);
    }
    long wait = delayKnown(now);
    boolean isDoubtful = wait > 0 && now - level.toldAt() >= longestBelief;
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
    boolean isEmpty = level.isKnown() && !level.hasTurned(now) && missing(now) > 0;
    return delay > 0 && isEmpty && now - level.toldAt() < longestBelief
        ? (long) Math.max(delay, level.until(missing(now), now))
        : delay;
  }

  /** Whether nothing the server said of this limit can delay a request any more. */
  boolean isOver(long now) {
    return !isBlocked(now) && (level.isOver(now) || now - level.toldAt() >= longestBelief);
  }

  private boolean isBlocked(long now) {
    return blocked && blockedUntil - now > 0;
  }

  /** How many permits are missing for the next request. */
  private double missing(long now) {
    double came = level.grownBeyond(inFlight.since(now), now);
    return 1 - (level.rest(now) - Math.max(0, inFlight.uncounted() - came));
  }

  private long oneAhead(long now) {
    return inFlight.all() == 0 ? 0 : feelingWay(now);
  }

  private long feelingWay(long now) {
    return lastSent + FEELING_WAY - now;
  }

  private long delayKnown(long now) {
    if (share.samples() == 0) {
      return delayAtFirst(now);
    }
    if (inFlight.all() >= 2 << Math.min(share.samples(), 20)) {
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
      return (long) level.until(missing(now), now);
    }
    long meeting = lastSent + (long) (luck * ACQUAINTANCE) - now;
    boolean isMuch = level.isDry() || level.left() >= level.limit() / 2;
    return isMuch ? oneAhead(now) : Math.max(oneAhead(now), meeting);
  }

  private long delayAlone(long now) {
    double missing = missing(now);
    if (missing > 0) {
      return (long) level.until(missing, now);
    }
    boolean isMuch = missing + level.limit() / 2 <= 0;
    return isMuch || now - metAt >= ACQUAINTANCE ? 0 : metAt + ACQUAINTANCE - now;
  }

  private long delayInCompany(long now) {
    double left = level.left() - inFlight.all() + share.part() * level.grown(now);
    double spare = left - level.limit() / 2 - rate.reserve();
    if (spare * share.part() >= 1) {
      return 0;
    }
    if (level.isCyclic() && missing(now) > 0) { // others would all return at once as well
      double spread = luck * believed(SECOND / rate.steered()) / 2;
      return (long) (level.until(missing(now), now) + spread);
    }
    if (!level.isDry()) {
      return lastSent + believed((0.75 + 0.5 * luck) * SECOND / rate.steered()) - now;
    }
    double mine = Math.max(left - rate.reserve() / 2, 1e-9) * share.part();
    double dry = level.dryUntil() - lastSent;
    double gap = (0.1 + 1.8 * luck) * dry / mine;
    return (gap > dry ? afterDry() : lastSent + (long) gap) - now;
  }

  private long afterDry() {
    double spread = inCompany ? luck * SECOND / (share.part() * level.refill()) : 0;
    return level.dryUntil() + believed(spread);
  }

  /** Nanoseconds, at most the trusted time, which also prevents overflow. */
  private long believed(double nanos) {
    return (long) Math.min(nanos, longestBelief);
  }
}
