package io.weir.redis;

import io.weir.Decision;
import io.weir.LimitStatus;
import io.weir.Origin;
import io.weir.algorithm.Algorithm.Mark;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of one call, for one check or several combined ones: as if these had arrived one after
 * the other at the same moment.
 */
final class TakeReply {
  private final ScriptPlan scriptPlan;
  private final long cost;
  private final long[] reply;
  private final boolean isLease;
  private final int own;

  TakeReply(ScriptPlan scriptPlan, long cost, long[] reply) {
    this(scriptPlan, cost, reply, false, 0);
  }

  private TakeReply(ScriptPlan scriptPlan, long cost, long[] reply, boolean isLease, int own) {
    this.scriptPlan = scriptPlan;
    this.cost = cost;
    this.reply = reply;
    this.isLease = isLease;
    this.own = own;
  }

  /** The result of a call for {@code own} waiting checks and for permits in advance. */
  static TakeReply ofLease(ScriptPlan scriptPlan, long cost, int own, long[] reply) {
    return new TakeReply(scriptPlan, cost, reply, true, own);
  }

  /** How many of the checks were granted: the first ones. None for a peek. */
  int granted() {
    return ScriptPlan.granted(reply);
  }

  /** Whether a refusal stays valid for its wait, so that Redis need not be called until then. */
  boolean isLasting() {
    return !ScriptPlan.fallsFaster(reply);
  }

  /** The server's time. */
  long epochMicros() {
    return reply[1];
  }

  /** How long permits in advance may be used, from the server's time on. */
  long leaseMicros() {
    return isLease && reply.length > scriptPlan.replyLength() ? reply[reply.length - 1] : 0;
  }

  private boolean isReservation() {
    return !isLease && reply.length > scriptPlan.replyLength();
  }

  private long waitMicros() {
    return isReservation() ? reply[reply.length - 1] : 0;
  }

  /** The decision on check {@code i}. */
  Decision decision(int i) {
    boolean taken = i < granted();
    int later = taken ? granted() - 1 - i : 0;
    LimitCodec.Reading reading =
        taken || cost == 0
            ? LimitCodec.Reading.GRANTED
            : isReservation() ? LimitCodec.Reading.UNRESERVED : LimitCodec.Reading.UNTAKEN;
    LimitCodec[] terms = scriptPlan.terms();
    List<LimitStatus> statuses;
    if (terms.length == 1) {
      statuses = List.of(terms[0].status(reply, 2, epochMicros(), cost, later, reading));
    } else {
      statuses = new ArrayList<>(terms.length);
      int from = 2;
      for (LimitCodec each : terms) {
        statuses.add(each.status(reply, from, epochMicros(), cost, later, reading));
        from += each.numbers();
      }
    }
    boolean goes = taken || (cost > 0 && allAllow(statuses));
    Duration delay = goes ? Duration.ofNanos(delay(taken, later)) : Duration.ZERO;
    return Decision.of(cost, delay, statuses, Math.floorDiv(epochMicros(), 1000L), Origin.STORE);
  }

  private static boolean allAllow(List<LimitStatus> statuses) {
    for (LimitStatus limitStatus : statuses) {
      if (!limitStatus.allows()) {
        return false;
      }
    }
    return true;
  }

  private long delay(boolean taken, int later) {
    long wait = waitMicros();
    long longest = 0;
    int from = 2;
    for (LimitCodec each : scriptPlan.terms()) {
      long delay = each.delay(reply, from, epochMicros() + wait, cost, later, taken);
      longest = Math.max(longest, delay);
      from += each.numbers();
    }
    return wait * 1000 + longest;
  }

  /** Identifies the charge of check {@code i}; empty if it was not taken. */
  ChargeMarks marks(int i) {
    if (i >= granted()) {
      return new ChargeMarks(scriptPlan, List.of());
    }
    List<Mark> marks = new ArrayList<>(scriptPlan.terms().length);
    int from = 2;
    for (LimitCodec each : scriptPlan.terms()) {
      int later = granted() - 1 - i;
      marks.add(
          i < own && leaseMicros() > 0
              ? each.markBesideLease(reply, from, epochMicros(), cost, later)
              : each.mark(reply, from, epochMicros() + waitMicros(), cost, later));
      from += each.numbers();
    }
    return new ChargeMarks(scriptPlan, marks);
  }
}
