package io.weir.client.pace;

import io.weir.client.quota.Quota;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * When the next request may go that one limit applies to. It never lets more go than are left, and
 * where others spend from the same limit, it takes its part and leaves them theirs.
 *
 * <pre>
 *   left
 *   all  ├──────────────┐
 *        │  at once     │ one's own share of what is above the half
 *   half ├──────────────┤
 *        │  at a rate   │ that falls with what is left: steady at the reserve
 *   √all ├─ reserve ────┤
 *      0 └──────────────┘
 * </pre>
 *
 * <p><b>Alone</b>, nothing of that holds: everything that is left may go at once, and then each
 * request when it has come back. <b>In company</b> no client knows how many there are. All hear the
 * same level, though, and each sets its rate by it: above the reserve it adds a little, below it
 * takes off a part, so that the rates of all add up to what comes back, at that level, and become
 * alike (as those of TCP senders do). What is sent follows the level at once, and looks ahead by
 * its trend: who asks twice a second hears of a fall half a second late.
 *
 * <p>A limit that is <b>dry</b> until some moment is spread until then: with 100 left for 10 s and
 * a tenth of everybody's requests, one a second. The clients come back after that moment one after
 * the other, as fast as their share of the limit.
 *
 * <p>A <b>short window</b> whose end has been found is a bucket whose level is what is left beyond
 * an even spending, and which is to be steady at nothing: whatever is left at the end is lost.
 *
 * <p>Worked numbers: 50 clients at 100 a second, all at once 100. The first two requests of each
 * empty it; each heard that 50 were spent for each one of its own and goes on at 2 a second, less
 * until 10 are left again. docs/decisions/0022 has what comes of it.
 *
 * <p>Not safe for several threads.
 */
public final class Pace {
  private static final double SECOND = 1e9;

  /** Of those that nothing is known of yet, one goes in this time, or when an answer comes. */
  private static final long FEELING_WAY = 500_000_000L;

  /** More do not go at a time, whatever errors come, before anything is known. */
  private static final int MOST_AHEAD = 32;

  /** Whoever seems to be alone leaves half to others who may be about to come, for so long. */
  private static final long ACQUAINTANCE = 1_000_000_000L;

  /** Others are believed in for so long after they were last noticed. */
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
   * For a limit of which nothing is known.
   *
   * @param longestBelief for which a server is believed that there is nothing
   */
  public Pace(RandomGenerator random, Duration longestBelief) {
    this.random = random;
    this.longestBelief = longestBelief.toNanos();
  }

  /** A request goes. */
  public void sent(long now) {
    inFlight.sent(now);
    lastSent = now;
    luck = random.nextDouble();
  }

  /** A request ended without a word about this limit. */
  public void lost(long sentAt) {
    inFlight.ended(sentAt);
  }

  /**
   * A request ended with an error, without a word about any limit. Where nothing is known, one more
   * may go at a time: who limits nothing may have nothing but errors to say.
   */
  void failed(long sentAt) {
    lost(sentAt);
    ahead = Math.min(ahead + 1, MOST_AHEAD);
  }

  /** There are limits here: of those that nothing is known of, one goes at a time again. */
  void feelWay() {
    ahead = 1;
  }

  /** A request was answered, and this was said. */
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
    if (follows && sentAt - toldSentAt < 0) { // overtaken by a later one
      share.note(1, Math.max(0, level.overtaken(said, now)));
      level.lower(said, now);
      return;
    }
    if (follows) {
      note(1, level.spent(said, now), now);
    } else if (inCompany) { // a new window begins with equal chances
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
    if (level.isCyclic() && !wasCyclic) { // what did not come back was taken for others' until now
      companyUntil = now + 3 * level.period();
    }
    if (inCompany || !level.isCyclic()) { // alone, all goes at once, which says nothing of a rate
      rate.steer(elapsed, wasDry);
    }
    toldSentAt = sentAt;
    blocked = false;
  }

  /**
   * Of requests in flight together nobody knows which was counted first: alone, the one that says
   * that more is left may have been.
   */
  private double believable(double said, boolean follows, long sentAt, long now) {
    return follows && !inCompany && !level.isCyclic() && sentAt - level.toldAt() <= 0
        ? Math.min(said, level.left() + level.grown(now))
        : said;
  }

  private void note(double own, double spent, long now) {
    boolean isLeap = spent < -0.1 * level.limit(); // much came back: nothing is known of who spent
    share.note(own, isLeap ? own : spent);
    if (share.hasOthers()) {
      if (!inCompany && share.samples() > 1) { // what was before tells nothing of its share
        share.forget();
        share.note(own, isLeap ? own : spent);
        rate.forget();
      }
      inCompany = true;
      double least = level.isCyclic() ? 0 : MEMORY_OF_OTHERS; // as they show in each window
      companyUntil = now + (long) (Math.max(least, 3 * level.window()) * SECOND);
    } else if (inCompany && now - companyUntil > 0) {
      inCompany = false;
    }
  }

  /** A request was refused; nothing goes for so long. */
  public void refused(Quota quota, Duration retryAfter, long sentAt, long now) {
    lost(sentAt);
    inFlight.counted(sentAt);
    last = quota.exhausted(retryAfter);
    if (level.isKnown()) {
      note(0, level.spent(0, now), now);
    }
    level.empty(quota, now);
    rate.stepBack();
    // Not all who were refused come back at once.
    double spread = rate.isSet() ? Math.min(SECOND / rate.aSecond(), longestBelief / 4.0) : SECOND;
    blocked = true;
    long wait = Math.max(0, retryAfter.toNanos());
    saidUntil = now + wait;
    blockedUntil = now + believed(wait) + (long) (spread * random.nextDouble());
    toldSentAt = now;
  }

  /** What was said last; null if nothing was. */
  @Nullable Quota last() {
    return last;
  }

  /**
   * Nanoseconds, about, that it takes those to go who have waited for longer, beyond the delay of
   * the first; zero if that is not known. What comes back at once after a dry time is for as many
   * as the limit has.
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
   * Nanoseconds until the next may go by what the server said, however long that is, if it said
   * that nothing is left; otherwise the delay.
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

  /** Whether nothing that was said of this limit holds anybody up any more. */
  boolean isOver(long now) {
    return !isBlocked(now) && (level.isOver(now) || now - level.toldAt() >= longestBelief);
  }

  private boolean isBlocked(long now) {
    return blocked && blockedUntil - now > 0;
  }

  /** How many there are too few for one to go. */
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

  /** Where much has been spent by others, they may all be about to ask for the second time. */
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
    if (level.isCyclic() && missing(now) > 0) { // nor do all come back at once
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

  /** Nanoseconds that no server can make longer than it is believed, nor too long to add up. */
  private long believed(double nanos) {
    return (long) Math.min(nanos, longestBelief);
  }
}
