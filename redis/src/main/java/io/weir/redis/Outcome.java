package io.weir.redis;

import io.weir.Decision;
import io.weir.Origin;
import io.weir.Standing;
import io.weir.algorithm.Algorithm.Mark;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of one call, for one check or several combined ones: as if these had arrived one after
 * the other at the same moment.
 */
final class Outcome {
  private final Plan plan;
  private final long cost;
  private final long[] reply;
  private final boolean isLease;
  private final int own;

  Outcome(Plan plan, long cost, long[] reply) {
    this(plan, cost, reply, false, 0);
  }

  private Outcome(Plan plan, long cost, long[] reply, boolean isLease, int own) {
    this.plan = plan;
    this.cost = cost;
    this.reply = reply;
    this.isLease = isLease;
    this.own = own;
  }

  /** The result of a call for {@code own} waiting checks and for permits in advance. */
  static Outcome ofLease(Plan plan, long cost, int own, long[] reply) {
    return new Outcome(plan, cost, reply, true, own);
  }

  /** How many of the checks were granted: the first ones. None for a peek. */
  int granted() {
    return Plan.granted(reply);
  }

  /** Whether a refusal stays valid for its wait, so that Redis need not be called until then. */
  boolean isLasting() {
    return !Plan.fallsFaster(reply);
  }

  /** The server's time. */
  long epochMicros() {
    return reply[1];
  }

  /** How long permits in advance may be used, from the server's time on. */
  long leaseMicros() {
    return isLease && reply.length > plan.replyLength() ? reply[reply.length - 1] : 0;
  }

  private boolean isReservation() {
    return !isLease && reply.length > plan.replyLength();
  }

  private long waitMicros() {
    return isReservation() ? reply[reply.length - 1] : 0;
  }

  /** The decision on check {@code i}. */
  Decision decision(int i) {
    boolean taken = i < granted();
    int later = taken ? granted() - 1 - i : 0;
    Terms.Reading reading =
        taken || cost == 0
            ? Terms.Reading.GRANTED
            : isReservation() ? Terms.Reading.UNRESERVED : Terms.Reading.UNTAKEN;
    Terms[] terms = plan.terms();
    List<Standing> standings;
    if (terms.length == 1) {
      standings = List.of(terms[0].standing(reply, 2, epochMicros(), cost, later, reading));
    } else {
      standings = new ArrayList<>(terms.length);
      int from = 2;
      for (Terms each : terms) {
        standings.add(each.standing(reply, from, epochMicros(), cost, later, reading));
        from += each.numbers();
      }
    }
    boolean goes = taken || (cost > 0 && allAllow(standings));
    Duration delay = goes ? Duration.ofNanos(delay(taken, later)) : Duration.ZERO;
    return Decision.of(cost, delay, standings, Math.floorDiv(epochMicros(), 1000L), Origin.STORE);
  }

  private static boolean allAllow(List<Standing> standings) {
    for (Standing standing : standings) {
      if (!standing.allows()) {
        return false;
      }
    }
    return true;
  }

  private long delay(boolean taken, int later) {
    long wait = waitMicros();
    long longest = 0;
    int from = 2;
    for (Terms each : plan.terms()) {
      long delay = each.delay(reply, from, epochMicros() + wait, cost, later, taken);
      longest = Math.max(longest, delay);
      from += each.numbers();
    }
    return wait * 1000 + longest;
  }

  /** Identifies the charge of check {@code i}; empty if it was not taken. */
  Marks marks(int i) {
    if (i >= granted()) {
      return new Marks(plan, List.of());
    }
    List<Mark> marks = new ArrayList<>(plan.terms().length);
    int from = 2;
    for (Terms each : plan.terms()) {
      int later = granted() - 1 - i;
      marks.add(
          i < own && leaseMicros() > 0
              ? each.markBesideLease(reply, from, epochMicros(), cost, later)
              : each.mark(reply, from, epochMicros() + waitMicros(), cost, later));
      from += each.numbers();
    }
    return new Marks(plan, marks);
  }
}
