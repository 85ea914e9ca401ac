package io.weir.insight.whatif;

import io.weir.Limit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/**
 * Simulates another limit for a rule: runs the recorded demand through the limit itself, in virtual
 * time.
 *
 * <p>Only the number of requests per slot is recorded, not their times. The reported value assumes
 * random arrival. Runs with even arrival and with all requests at the start of a slot give the
 * bounds; the true value is rarely outside. A heavy caller counts once. A caller of the sample
 * represents as many as the sample leaves out; the interval misses the true value in one sample of
 * twenty. All buckets are full at the start of the recording.
 *
 * <p>The time is bounded. A caller with a total demand that fits into the limit is not simulated.
 * The more slots there are, the fewer pieces each is played in, and the fewer limits are tried for
 * the curve.
 */
public final class WhatIf {
  private static final long[] NONE = {};
  private static final int MAX_POINTS = 40;
  private static final int FEWEST_POINTS = 8;
  private static final int MAX_PIECES = 16;
  private static final long OFFERS = 2_000_000; // about a second
  private static final long LARGEST_LOG = 100_000; // entries kept for one caller
  private static final double CERTAIN = 1.96; // the 95 % interval of a normal distribution
  private static final double NONE_OF_MANY = 3; // none seen: at most 3 / n, at 95 % confidence

  private final RecordedDemand recordedDemand;
  private final Proposal proposal;
  private final int pieces;
  private final int piecesOfCurve;
  private final int points;

  private WhatIf(RecordedDemand recordedDemand, Proposal proposal) {
    this.recordedDemand = recordedDemand;
    this.proposal = proposal;
    long busy = 1;
    for (RecordedDemand.OfCaller caller : recordedDemand.callers()) {
      for (int requests : caller.requestsBySlot()) {
        busy += requests > 0 ? 1 : 0;
      }
    }
    this.pieces = (int) Math.max(1, Math.min(MAX_PIECES, OFFERS / 4 / busy));
    this.points = (int) Math.max(FEWEST_POINTS, Math.min(MAX_POINTS, OFFERS / 2 / busy));
    this.piecesOfCurve = (int) Math.max(1, Math.min(MAX_PIECES, OFFERS / 2 / busy / points));
  }

  /**
   * Predicts the effect of {@code proposal}. Takes about a second: do not call it on an event loop.
   */
  public static Forecast play(RecordedDemand recordedDemand, Proposal proposal) {
    return new WhatIf(recordedDemand, proposal).play();
  }

  private Forecast play() {
    Sum all = new Sum();
    long recorded = 0;
    for (RecordedDemand.OfCaller caller : recordedDemand.callers()) {
      all.add(caller, 1);
      recorded += caller.requests();
    }
    long requests = recordedDemand.requests();
    long callers = all.callers().value();
    // The current limit is simulated too, because recorded refusals may come from an older limit.
    Sum now = refused(proposal.before(), Arrival.AT_RANDOM, pieces);
    List<Sum> played = new ArrayList<>();
    for (Arrival arrival : Arrival.values()) {
      played.add(refused(proposal.limits(), arrival, pieces));
    }
    return new Forecast(
        recordedDemand,
        callers,
        Math.min(callers, now.callers().value()),
        Math.min(requests, now.requests().value()),
        between(played.stream().map(Sum::callers).toList(), callers),
        between(played.stream().map(Sum::requests).toList(), requests),
        curve(callers, requests),
        recordedDemand.callers().size(),
        requests == 0 ? 1 : Math.min(1, (double) recorded / requests));
  }

  /** The first is the estimate; all of them together give the bounds. */
  private static Forecast.Estimate between(List<Forecast.Estimate> played, long max) {
    long low = played.stream().mapToLong(Forecast.Estimate::low).min().orElse(0);
    long high = played.stream().mapToLong(Forecast.Estimate::high).max().orElse(max);
    return new Forecast.Estimate(
        Math.min(max, played.get(0).value()), Math.min(max, low), Math.min(max, high));
  }

  private Sum refused(List<Limit> limits, Arrival arrival, int inPieces) {
    Random random = new Random(1); // the same seed for each limit, so that results are comparable
    long room = limits.stream().mapToLong(Limit::capacity).min().orElse(Long.MAX_VALUE);
    LimitSimulator limitSimulator = null;
    Sum sum = new Sum();
    for (int i = 0; i < recordedDemand.callers().size(); i++) {
      RecordedDemand.OfCaller caller = recordedDemand.callers().get(i);
      double permits = caller.requests() * caller.cost();
      if (permits <= room) {
        sum.add(caller, 0); // the whole demand would fit at once
        continue;
      }
      if (limitSimulator == null) {
        limitSimulator = new LimitSimulator(limits.stream().map(WhatIf::keepable).toList());
      }
      String name = Integer.toString(i);
      random.setSeed(i);
      sum.add(
          caller,
          refused(
              limitSimulator,
              name,
              caller,
              arrival.moments(recordedDemand.range(), inPieces, random)));
      limitSimulator.forget(name);
    }
    return sum;
  }

  /** A very large log is simulated by the nearest algorithm that keeps only two numbers. */
  private static Limit keepable(Limit limit) {
    return limit instanceof Limit.SlidingLog log && log.permits() > LARGEST_LOG
        ? new Limit.SlidingWindow(log.permits(), log.period())
        : limit;
  }

  private long refused(
      LimitSimulator limitSimulator, String name, RecordedDemand.OfCaller caller, Moments moments) {
    long refused = 0;
    for (int slot = 0; slot < caller.requestsBySlot().length; slot++) {
      long left = caller.requestsBySlot()[slot];
      long start = recordedDemand.startMillis() + slot * recordedDemand.range().stepMillis();
      long[] times = left == 0 ? NONE : moments.of(left);
      for (int i = 0; i < times.length; i++) {
        long part = left / (times.length - i);
        refused += part - limitSimulator.offer(name, part, caller.cost(), start + times[i]);
        left -= part;
      }
    }
    return refused;
  }

  /** The times of a slot's requests, from its start. */
  @FunctionalInterface
  private interface Moments {
    long[] of(long requests);
  }

  /** How requests are spread over a slot. */
  private enum Arrival {
    AT_RANDOM,
    EVENLY,
    ALL_AT_ONCE;

    Moments moments(Resolution resolution, int pieces, Random random) {
      long step = resolution.stepMillis();
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
                        LimitFormatter.of(limit),
                        permits,
                        Math.min(callers, sum.callers().value()),
                        Math.min(requests, sum.requests().value())));
              });
    }
    return curve;
  }

  /** From a tenth of the smallest limit of interest to slightly more than the heaviest demand. */
  private TreeSet<Long> permits() {
    long present = proposal.present();
    long proposed = Math.max(1, proposal.limit().permits());
    double max = Math.max(1, Math.max(present, proposed) * 2.0);
    max = Math.max(max, Math.min(1.2 * heaviest(), 100.0 * max));
    double min = Math.max(1, Math.min(present, proposed) / 10.0);
    TreeSet<Long> permits = new TreeSet<>();
    for (int i = 0; i < points; i++) {
      permits.add(Math.round(min * Math.pow(max / min, (double) i / (points - 1))));
    }
    permits.add(present);
    permits.add(proposed);
    return permits;
  }

  /** The most permits that any caller requested in a period of the limit, approximately. */
  private double heaviest() {
    double slots =
        Math.max(
            1, (double) proposal.limit().period().toMillis() / recordedDemand.range().stepMillis());
    double max = 0;
    for (RecordedDemand.OfCaller caller : recordedDemand.callers()) {
      int busiest = 0;
      for (int requests : caller.requestsBySlot()) {
        busiest = Math.max(busiest, requests);
      }
      double inPeriod = Math.min(busiest * slots, caller.requests());
      max = Math.max(max, inPeriod * caller.cost());
    }
    return max;
  }

  /** Sums callers and requests, of callers that count once and of those that represent many. */
  private final class Sum {
    private final Part callers = new Part();
    private final Part requests = new Part();

    void add(RecordedDemand.OfCaller caller, long refused) {
      callers.add(caller.isHeavy(), refused > 0 ? 1 : 0);
      requests.add(caller.isHeavy(), refused);
      if (!caller.isHeavy()) {
        requests.sampledDemand += caller.requests();
        requests.sampled++;
        callers.sampledDemand++;
        callers.sampled++;
      }
    }

    Forecast.Estimate callers() {
      return callers.estimate(recordedDemand.share());
    }

    Forecast.Estimate requests() {
      return requests.estimate(recordedDemand.share());
    }
  }

  /** A sum, and the sum of squares for its confidence interval. */
  private static final class Part {
    private double certain;
    private double sampledSum;
    private double squares;
    private double sampledDemand;
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
      double margin = CERTAIN * Math.sqrt(squares * (1 - share)) / share;
      if (sampledSum == 0 && share < 1 && sampled > 0) {
        margin = NONE_OF_MANY * (sampledDemand / sampled) / share;
      }
      long low = (long) Math.floor(Math.max(certain, value - margin));
      return new Forecast.Estimate(Math.round(value), low, (long) Math.ceil(value + margin));
    }
  }
}
