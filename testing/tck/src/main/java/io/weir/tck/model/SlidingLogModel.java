package io.weir.tck.model;

import io.weir.Limit;
import java.util.ArrayList;
import java.util.List;

/** A list of grants with their times; entries older than the period expire. */
final class SlidingLogModel extends Model {
  private final Fraction period;
  private final List<Entry> entries = new ArrayList<>();

  /** The permits of the largest limit of which more is counted than this one has; or of this. */
  private long carried;

  private static final class Entry {
    final Fraction stamp;
    long permits;

    Entry(Fraction stamp, long permits) {
      this.stamp = stamp;
      this.permits = permits;
    }
  }

  SlidingLogModel(Limit.SlidingLog limit) {
    super(limit);
    period = millis(limit.period());
    carried = limit.permits();
  }

  private List<Entry> counted(Fraction now) {
    Fraction out = now.minus(period);
    return entries.stream().filter(entry -> entry.permits > 0 && entry.stamp.isAbove(out)).toList();
  }

  @Override
  boolean fits(long cost, Fraction now) {
    return spent(now) + cost <= limit.permits();
  }

  private long spent(Fraction now) {
    return counted(now).stream().mapToLong(entry -> entry.permits).sum();
  }

  /** Stamped with the end of the tick, so that it does not expire early. */
  @Override
  Fraction take(long cost, Fraction time) {
    return add(cost, time);
  }

  @Override
  void giveBack(Fraction mark, long cost, long permits, Fraction now) {
    if (!countsRejected() || !isFull(now)) {
      takeOff(permits, counted(now).stream().filter(entry -> entry.stamp.equals(mark)).toList());
    }
  }

  private Fraction add(long permits, Fraction time) {
    entries.removeIf(entry -> entry.permits == 0);
    Fraction stamp = time.roundedUpTo(tick);
    entries.add(new Entry(entries.isEmpty() ? stamp : stamp.max(newest().stamp), permits));
    return newest().stamp;
  }

  /** A debt of one more limit is remembered; of refusals only as many as the limit has permits. */
  @Override
  void force(long cost, Fraction time) {
    if (countsRejected()) {
      add(Math.min(cost, limit.permits()), time);
      cutOff();
    } else {
      add(Math.max(0, Math.min(cost, 2 * limit.permits() - spent(now(time)))), time);
    }
  }

  /**
   * Deletes entries older than the newest ones that fill the carried limit. While those count,
   * nothing fits anyway under any of the limits, and they count longer. So a log of refusals does
   * not grow without end. But a full log gives nothing back, since what was deleted might have
   * filled it again.
   */
  private void cutOff() {
    long excess = entries.stream().mapToLong(entry -> entry.permits).sum() - carried;
    for (Entry entry : entries) {
      long cut = Math.max(0, Math.min(excess, entry.permits));
      entry.permits -= cut;
      excess -= cut;
    }
  }

  private boolean isFull(Fraction now) {
    return !fits(1, now);
  }

  private Entry newest() {
    return entries.get(entries.size() - 1);
  }

  /** The newest first, so that what is given back would have counted longest. */
  @Override
  void refund(long permits, Fraction now) {
    takeOff(permits, counted(now));
  }

  private static void takeOff(long permits, List<Entry> from) {
    long left = permits;
    for (int i = from.size() - 1; i >= 0; i--) {
      Entry entry = from.get(i);
      long back = Math.min(left, entry.permits);
      entry.permits -= back;
      left -= back;
    }
  }

  @Override
  Fraction reset(Fraction now) {
    return counted(now).stream()
        .map(entry -> entry.stamp.plus(period).minus(now))
        .min(Fraction::compareTo)
        .orElse(Fraction.ZERO);
  }

  @Override
  boolean countsRejected() {
    return ((Limit.SlidingLog) limit).countRejected();
  }

  @Override
  Fraction reach(Fraction now) {
    return period.plus(tick);
  }

  @Override
  void forgetLarger(Fraction time) {
    if (spent(now(time)) <= limit.permits()) {
      carried = limit.permits();
    }
  }

  @Override
  boolean goOnFrom(Model found, Fraction time) {
    SlidingLogModel that = (SlidingLogModel) found;
    that.entries.forEach(entry -> entries.add(new Entry(entry.stamp, entry.permits)));
    // Expired entries are deleted, and do not return when the clock steps back.
    entries.retainAll(counted(now(time)));
    boolean isRelic =
        !entries.isEmpty() && newest().stamp.isAbove(time.roundedUpTo(tick).plus(reach(time)));
    if (isRelic) {
      entries.clear();
      add(Math.max(limit.permits(), that.carried), time);
    }
    boolean isMore = spent(now(time)) > limit.permits();
    carried = isMore ? Math.max(limit.permits(), that.carried) : limit.permits();
    return isRelic;
  }
}
