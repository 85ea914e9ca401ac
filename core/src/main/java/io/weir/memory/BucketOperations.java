package io.weir.memory;

import io.weir.Buckets;
import io.weir.Decision;
import io.weir.LimitStatus;
import io.weir.Origin;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The operations on the buckets of one key, for either kind of engine. */
final class BucketOperations {
  private static final Algorithm.Mark[] NO_MARKS = {};

  private BucketOperations() {}

  /** Takes now, or not at all. */
  static TableEngine.Edit<Decision> check(long cost) {
    return (algorithms, buckets, moment) -> {
      long delay = cost > 0 ? delay(algorithms, buckets, moment) : 0;
      boolean granted = takeNow(algorithms, buckets, moment, cost);
      return decide(algorithms, buckets, moment, cost, granted, granted ? delay : 0);
    };
  }

  /** {@link #check}, with a receipt. */
  static TableEngine.Edit<MemoryReceipt> take(String key, long cost) {
    return (algorithms, buckets, moment) -> {
      Decision decision = check(cost).apply(algorithms, buckets, moment);
      boolean taken = decision.allowed() && cost > 0;
      return new MemoryReceipt(
          key, decision, algorithms, taken ? marks(algorithms, buckets, moment, cost) : NO_MARKS);
    };
  }

  private static boolean takeNow(
      Algorithm[] algorithms, Bucket[] buckets, Moment moment, long cost) {
    if (cost == 0 || !fits(algorithms, cost)) {
      return cost == 0;
    }
    if (waitFor(algorithms, buckets, moment, cost) > 0) {
      noteRejected(algorithms, buckets, moment, cost);
      return false;
    }
    takeAt(algorithms, buckets, moment, moment, cost);
    return true;
  }

  /** The decision that {@link #check} would make. */
  static TableEngine.Edit<Decision> peek(long cost) {
    return (algorithms, buckets, moment) -> {
      boolean granted = has(algorithms, buckets, moment, cost);
      long delay = granted && cost > 0 ? delay(algorithms, buckets, moment) : 0;
      return decide(algorithms, buckets, moment, cost, granted, delay);
    };
  }

  /** Whether {@link #check} would allow. */
  static TableEngine.Edit<Boolean> has(long cost) {
    return (algorithms, buckets, moment) -> has(algorithms, buckets, moment, cost);
  }

  private static boolean has(Algorithm[] algorithms, Bucket[] buckets, Moment moment, long cost) {
    return cost == 0 || (fits(algorithms, cost) && waitFor(algorithms, buckets, moment, cost) == 0);
  }

  /** Takes for the earliest moment that fits all limits, if that is near enough. */
  static TableEngine.Edit<MemoryReceipt> reserve(String key, long cost, long maxWaitNanos) {
    return (algorithms, buckets, moment) -> {
      if (cost > 0 && fits(algorithms, cost)) {
        long wait = 0;
        long more = waitFor(algorithms, buckets, moment, cost);
        while (more > 0 && wait + more <= maxWaitNanos) {
          wait += more;
          more = waitFor(algorithms, buckets, moment.plus(wait), cost);
        }
        boolean soonEnough =
            more == 0 && wait + delay(algorithms, buckets, moment.plus(wait)) <= maxWaitNanos;
        if (soonEnough && reaches(algorithms, moment, wait)) {
          return grant(key, algorithms, buckets, moment, wait, cost);
        }
      }
      return cost == 0
          ? take(key, cost).apply(algorithms, buckets, moment)
          : refuse(key, algorithms, buckets, moment, cost);
    };
  }

  /** Takes from each limit what it has, and no more than {@code cost}. */
  static TableEngine.Edit<Boolean> charge(long cost) {
    return (algorithms, buckets, moment) -> {
      for (int i = 0; i < algorithms.length; i++) {
        long now = moment.in(algorithms[i]);
        long some = Math.min(cost, algorithms[i].remaining(buckets[i], now));
        if (some > 0) {
          algorithms[i].take(buckets[i], now, now, some);
        }
      }
      return true;
    };
  }

  /** Takes from each limit its own value of {@code costs}; limits may have changed since. */
  static TableEngine.Edit<Boolean> force(long... costs) {
    return (algorithms, buckets, moment) -> {
      for (int i = 0; i < Math.min(algorithms.length, costs.length); i++) {
        if (costs[i] > 0) {
          algorithms[i].force(buckets[i], moment.in(algorithms[i]), costs[i]);
        }
      }
      return true;
    };
  }

  /**
   * Takes {@code cost} from each limit even if it does not have it; a limit of zero permits
   * remembers nothing.
   */
  static TableEngine.Edit<Boolean> chargeInFull(long cost) {
    return (algorithms, buckets, moment) -> {
      for (int i = 0; i < algorithms.length; i++) {
        if (cost > 0 && algorithms[i].capacity() > 0) {
          algorithms[i].force(buckets[i], moment.in(algorithms[i]), cost);
        }
      }
      return true;
    };
  }

  /** Corrects what a receipt says was taken. */
  static TableEngine.Edit<Boolean> settle(MemoryReceipt receipt, long actualCost) {
    return (algorithms, buckets, moment) -> {
      long cost = receipt.decision().cost();
      for (int i = 0; i < algorithms.length; i++) {
        long now = moment.in(algorithms[i]);
        if (actualCost > cost) {
          algorithms[i].force(buckets[i], now, actualCost - cost);
        } else if (receipt.isFrom(algorithms[i], i)) {
          algorithms[i].giveBack(buckets[i], now, receipt.mark(i), cost - actualCost);
        }
      }
      return true;
    };
  }

  /** Records a refused request where refused ones count. */
  static TableEngine.Edit<Boolean> reject(long cost) {
    return (algorithms, buckets, moment) -> {
      if (cost > 0 && fits(algorithms, cost)) {
        noteRejected(algorithms, buckets, moment, cost);
      }
      return true;
    };
  }

  private static void noteRejected(
      Algorithm[] algorithms, Bucket[] buckets, Moment moment, long cost) {
    for (int i = 0; i < algorithms.length; i++) {
      if (algorithms[i].countsRejected()) {
        algorithms[i].force(buckets[i], moment.in(algorithms[i]), cost);
      }
    }
  }

  /** Gives back without a receipt. */
  static TableEngine.Edit<Boolean> refund(long permits) {
    return (algorithms, buckets, moment) -> {
      for (int i = 0; i < algorithms.length; i++) {
        algorithms[i].refund(buckets[i], moment.in(algorithms[i]), permits);
      }
      return true;
    };
  }

  /** Resets all buckets to full. */
  static TableEngine.Edit<Boolean> reset() {
    return (algorithms, buckets, moment) -> {
      for (int i = 0; i < algorithms.length; i++) {
        for (int word = 0; word < algorithms[i].words(); word++) {
          buckets[i].word(word, 0);
        }
      }
      return true;
    };
  }

  private static boolean fits(Algorithm[] algorithms, long cost) {
    for (Algorithm algorithm : algorithms) {
      if (cost > algorithm.capacity()) {
        return false;
      }
    }
    return true;
  }

  private static long waitFor(Algorithm[] algorithms, Bucket[] buckets, Moment moment, long cost) {
    long longest = 0;
    for (int i = 0; i < algorithms.length; i++) {
      Algorithm algorithm = algorithms[i];
      long wait = algorithm.nanos(algorithm.waitFor(buckets[i], moment.in(algorithm), cost));
      longest = Math.max(longest, wait);
    }
    return longest;
  }

  private static long delay(Algorithm[] algorithms, Bucket[] buckets, Moment moment) {
    long longest = 0;
    for (int i = 0; i < algorithms.length; i++) {
      Algorithm algorithm = algorithms[i];
      longest =
          Math.max(longest, algorithm.nanos(algorithm.delay(buckets[i], moment.in(algorithm))));
    }
    return longest;
  }

  private static boolean reaches(Algorithm[] algorithms, Moment moment, long wait) {
    for (Algorithm algorithm : algorithms) {
      if (wait > 0 && algorithm.ticks(wait) > algorithm.reach(moment.in(algorithm))) {
        return false;
      }
    }
    return true;
  }

  private static MemoryReceipt grant(
      String key, Algorithm[] algorithms, Bucket[] buckets, Moment moment, long wait, long cost) {
    Moment later = moment.plus(wait);
    long delay = wait + delay(algorithms, buckets, later);
    takeAt(algorithms, buckets, moment, later, cost);
    Decision decision = decide(algorithms, buckets, moment, cost, true, delay);
    return new MemoryReceipt(key, decision, algorithms, marks(algorithms, buckets, later, cost));
  }

  private static void takeAt(
      Algorithm[] algorithms, Bucket[] buckets, Moment moment, Moment at, long cost) {
    for (int i = 0; i < algorithms.length; i++) {
      algorithms[i].take(buckets[i], moment.in(algorithms[i]), at.in(algorithms[i]), cost);
    }
  }

  private static Algorithm.Mark[] marks(
      Algorithm[] algorithms, Bucket[] buckets, Moment at, long cost) {
    Algorithm.Mark[] marks = new Algorithm.Mark[algorithms.length];
    for (int i = 0; i < algorithms.length; i++) {
      marks[i] = algorithms[i].mark(buckets[i], at.in(algorithms[i]), cost);
    }
    return marks;
  }

  private static MemoryReceipt refuse(
      String key, Algorithm[] algorithms, Bucket[] buckets, Moment moment, long cost) {
    List<LimitStatus> statuses = new ArrayList<>(algorithms.length);
    for (int i = 0; i < algorithms.length; i++) {
      statuses.add(
          algorithms[i].statusOfRefusedReservation(buckets[i], moment.in(algorithms[i]), cost));
    }
    Decision decision =
        Decision.of(cost, Duration.ZERO, statuses, moment.epochMillis(), Origin.MEMORY);
    return new MemoryReceipt(key, decision, algorithms, NO_MARKS);
  }

  private static Decision decide(
      Algorithm[] algorithms,
      Bucket[] buckets,
      Moment moment,
      long cost,
      boolean granted,
      long delay) {
    List<LimitStatus> statuses;
    if (algorithms.length == 1) {
      statuses = List.of(algorithms[0].status(buckets[0], moment.in(algorithms[0]), cost, granted));
    } else {
      statuses = new ArrayList<>(algorithms.length);
      for (int i = 0; i < algorithms.length; i++) {
        statuses.add(algorithms[i].status(buckets[i], moment.in(algorithms[i]), cost, granted));
      }
    }
    return Decision.of(
        cost, Duration.ofNanos(delay), statuses, moment.epochMillis(), Origin.MEMORY);
  }

  /** What was taken, when, and by which algorithms. */
  @SuppressWarnings("ArrayRecordComponent") // receipts are never compared
  record MemoryReceipt(
      String key, Decision decision, Algorithm[] algorithms, Algorithm.Mark[] marks)
      implements Buckets.Receipt {
    boolean isFrom(Algorithm algorithm, int limit) {
      return limit < marks.length && algorithms[limit].sharesMarksWith(algorithm);
    }

    Algorithm.Mark mark(int limit) {
      return marks[limit];
    }
  }
}
