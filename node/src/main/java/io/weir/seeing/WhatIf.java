package io.weir.seeing;

import io.weir.Limit;
import io.weir.rules.replay.Trial;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/**
 * Plays the recorded demand on a rule through another limit: the limit itself, in virtual time.
 *
 * <p>Of a slot only the number of requests is known, not when in it they came. They are played as
 * if they had come at random, which is what is told; and as if evenly, and all at the start: the
 * truth is hardly ever outside of what these come to. Who was recorded for being heavy counts once;
 * who is in the sample stands for as many as the sample leaves out, with an interval that one
 * sample in twenty would miss. Nobody has spent anything when the recording starts.
 *
 * <p>It takes a bounded time: a caller that asked for less than a limit holds is not played at all,
 * and the more slots there are to play, the fewer pieces each is played in, and the fewer limits
 * are tried for the curve.
 */
public final class WhatIf {
  private static final long[] NONE = {};
  private static final int MOST_POINTS = 40;
  private static final int FEWEST_POINTS = 8;
  private static final int MOST_PIECES = 16;
  private static final long OFFERS = 2_000_000; // about a second
  private static final long LARGEST_LOG = 100_000; // of what is kept for one caller
  private static final double CERTAIN = 1.96; // of 20 intervals so wide one is wrong
  private static final double NONE_OF_MANY = 3; // none seen: 3 / n are, but in one case of 20

  private final Demand demand;
  private final Proposal proposal;
  private final int pieces;
  private final int piecesOfCurve;
  private final int points;

  private WhatIf(Demand demand, Proposal proposal) {
    this.demand = demand;
    this.proposal = proposal;
    long busy = 1;
    for (Demand.OfCaller caller : demand.callers()) {
      for (int asked : caller.asked()) {
        busy += asked > 0 ? 1 : 0;
      }
    }
    this.pieces = (int) Math.max(1, Math.min(MOST_PIECES, OFFERS / 4 / busy));
    this.points = (int) Math.max(FEWEST_POINTS, Math.min(MOST_POINTS, OFFERS / 2 / busy));
    this.piecesOfCurve = (int) Math.max(1, Math.min(MOST_PIECES, OFFERS / 2 / busy / points));
  }

  /** What {@code proposal} would do. Takes a second or so: not on a thread that must not wait. */
  public static Forecast play(Demand demand, Proposal proposal) {
    return new WhatIf(demand, proposal).play();
  }

  private Forecast play() {
    Sum all = new Sum();
    long heard = 0;
    for (Demand.OfCaller caller : demand.callers()) {
      all.add(caller, 1);
      heard += caller.requests();
    }
    long requests = demand.requests();
    long callers = all.callers().value();
    // Played too, and not what was refused: the limit may have been another when it was.
    Sum now = refused(proposal.before(), Arrival.AT_RANDOM, pieces);
    List<Sum> played = new ArrayList<>();
    for (Arrival arrival : Arrival.values()) {
      played.add(refused(proposal.limits(), arrival, pieces));
    }
    return new Forecast(
        demand,
        callers,
        Math.min(callers, now.callers().value()),
        Math.min(requests, now.requests().value()),
        between(played.stream().map(Sum::callers).toList(), callers),
        between(played.stream().map(Sum::requests).toList(), requests),
        curve(callers, requests),
        demand.callers().size(),
        requests == 0 ? 1 : Math.min(1, (double) heard / requests));
  }

  /** The first is told; all of them say how far off it may be. */
  private static Forecast.Estimate between(List<Forecast.Estimate> played, long most) {
    long low = played.stream().mapToLong(Forecast.Estimate::low).min().orElse(0);
    long high = played.stream().mapToLong(Forecast.Estimate::high).max().orElse(most);
    return new Forecast.Estimate(
        Math.min(most, played.get(0).value()), Math.min(most, low), Math.min(most, high));
  }

  private Sum refused(List<Limit> limits, Arrival arrival, int inPieces) {
    Random random = new Random(1); // the same for each limit, so that they can be compared
    long room = limits.stream().mapToLong(Limit::capacity).min().orElse(Long.MAX_VALUE);
    Trial trial = null;
    Sum sum = new Sum();
    for (int i = 0; i < demand.callers().size(); i++) {
      Demand.OfCaller caller = demand.callers().get(i);
      double permits = caller.requests() * caller.cost();
      if (permits <= room) {
        sum.add(caller, 0); // all of it at once would fit
        continue;
      }
      if (trial == null) {
        trial = new Trial(limits.stream().map(WhatIf::keepable).toList());
      }
      String name = Integer.toString(i);
      random.setSeed(i);
      sum.add(
          caller, refused(trial, name, caller, arrival.moments(demand.range(), inPieces, random)));
      trial.forget(name);
    }
    return sum;
  }

  /** A log of very many is played as what is nearest to it and keeps two numbers. */
  private static Limit keepable(Limit limit) {
    return limit instanceof Limit.SlidingLog log && log.permits() > LARGEST_LOG
        ? new Limit.SlidingWindow(log.permits(), log.period())
        : limit;
  }

  private long refused(Trial trial, String name, Demand.OfCaller caller, Moments moments) {
    long refused = 0;
    for (int slot = 0; slot < caller.asked().length; slot++) {
      long left = caller.asked()[slot];
      long start = demand.startMillis() + slot * demand.range().stepMillis();
      long[] times = left == 0 ? NONE : moments.of(left);
      for (int i = 0; i < times.length; i++) {
        long part = left / (times.length - i);
        refused += part - trial.offer(name, part, caller.cost(), start + times[i]);
        left -= part;
      }
    }
    return refused;
  }

  /** When in a slot so many requests come, from its start. */
  @FunctionalInterface
  private interface Moments {
    long[] of(long requests);
  }

  /** How requests come in a slot. */
  private enum Arrival {
    AT_RANDOM,
    EVENLY,
    ALL_AT_ONCE;

    Moments moments(Grain grain, int pieces, Random random) {
      long step = grain.stepMillis();
      return requests -> {
        int count = this == ALL_AT_ONCE ? 1 : (int) Math.min(requests, pieces);
        long[] times = new long[count];
        for (int i = 0; i < count; i++) {
          times[i] = this == AT_RANDOM ? (long) (random.nextDouble() * step) : i * step / count;
        }
        Arrays.sort(times);
        return times;
      };
    }
  }

  private List<Forecast.Point> curve(long callers, long requests) {
    List<Forecast.Point> curve = new ArrayList<>();
    for (long permits : permits()) {
      proposal
          .scaled(permits)
          .ifPresent(
              limit -> {
                List<Limit> limits = proposal.limits(limit);
                Sum sum = refused(limits, Arrival.AT_RANDOM, piecesOfCurve);
                curve.add(
                    new Forecast.Point(
                        LimitText.of(limit),
                        permits,
                        Math.min(callers, sum.callers().value()),
                        Math.min(requests, sum.requests().value())));
              });
    }
    return curve;
  }

  /** From a tenth of the least limit of interest to a bit more than anybody asked for. */
  private TreeSet<Long> permits() {
    long present = proposal.present();
    long proposed = Math.max(1, proposal.limit().permits());
    double most = Math.max(1, Math.max(present, proposed) * 2.0);
    most = Math.max(most, Math.min(1.2 * heaviest(), 100.0 * most));
    double least = Math.max(1, Math.min(present, proposed) / 10.0);
    TreeSet<Long> permits = new TreeSet<>();
    for (int i = 0; i < points; i++) {
      permits.add(Math.round(least * Math.pow(most / least, (double) i / (points - 1))));
    }
    permits.add(present);
    permits.add(proposed);
    return permits;
  }

  /** The most permits that anybody asked for in a period of the limit, about. */
  private double heaviest() {
    double slots =
        Math.max(
            1,
            (double) LimitText.length(proposal.limit()).toMillis() / demand.range().stepMillis());
    double most = 0;
    for (Demand.OfCaller caller : demand.callers()) {
      int busiest = 0;
      for (int asked : caller.asked()) {
        busiest = Math.max(busiest, asked);
      }
      double inPeriod = Math.min(busiest * slots, caller.requests());
      most = Math.max(most, inPeriod * caller.cost());
    }
    return most;
  }

  /** Adds up callers and requests, of those that count once and of those that stand for many. */
  private final class Sum {
    private final Part callers = new Part();
    private final Part requests = new Part();

    void add(Demand.OfCaller caller, long refused) {
      callers.add(caller.isHeavy(), refused > 0 ? 1 : 0);
      requests.add(caller.isHeavy(), refused);
      if (!caller.isHeavy()) {
        requests.asked += caller.requests();
        requests.sampled++;
        callers.asked++;
        callers.sampled++;
      }
    }

    Forecast.Estimate callers() {
      return callers.estimate(demand.share());
    }

    Forecast.Estimate requests() {
      return requests.estimate(demand.share());
    }
  }

  /** One sum, and the sum of squares that tells how sure it is. */
  private static final class Part {
    private double certain;
    private double sampledSum;
    private double squares;
    private double asked;
    private long sampled;

    void add(boolean isHeavy, double value) {
      if (isHeavy) {
        certain += value;
      } else {
        sampledSum += value;
        squares += value * value;
      }
    }

    Forecast.Estimate estimate(double share) {
      double value = certain + sampledSum / share;
      double off = CERTAIN * Math.sqrt(squares * (1 - share)) / share;
      if (sampledSum == 0 && share < 1 && sampled > 0) {
        off = NONE_OF_MANY * (asked / sampled) / share;
      }
      long low = (long) Math.floor(Math.max(certain, value - off));
      return new Forecast.Estimate(Math.round(value), low, (long) Math.ceil(value + off));
    }
  }
}
