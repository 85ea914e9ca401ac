package io.weir.bench.contender;

import io.weir.Limit;
import java.time.Duration;

/** Weir's algorithms, each with limits as close to a {@link Quota} as it can express. */
public enum Algorithm {
  TOKEN_BUCKET {
    @Override
    public Limit limit(Quota quota) {
      return Limit.tokenBucket(quota.permits()).per(quota.period()).burst(quota.burst());
    }
  },

  LEAKY_BUCKET {
    @Override
    public Limit limit(Quota quota) {
      return Limit.leakyBucket(quota.permits()).per(quota.period()).queue(quota.burst() - 1);
    }
  },

  /** Windows last a year, so that hardly any run reaches the end of one. */
  FIXED_WINDOW {
    @Override
    public Limit limit(Quota quota) {
      return Limit.fixedWindow(quota.burst()).per(YEAR);
    }
  },

  SLIDING_WINDOW {
    @Override
    public Limit limit(Quota quota) {
      return Limit.slidingWindow(quota.burst()).per(YEAR);
    }
  },

  SLIDING_EPOCHS {
    @Override
    public Limit limit(Quota quota) {
      return Limit.slidingEpochs(quota.burst()).per(YEAR).epochs(15);
    }
  },

  /**
   * A log cannot have a burst of millions, since it stores each permit. The hot key that is never
   * refused gets a window so short that the log stays small. Many keys get 1000 a second, at which
   * the most popular keys of the Zipf traffic are refused.
   */
  SLIDING_LOG {
    @Override
    public Limit limit(Quota quota) {
      return Limit.slidingLog(logPermits(quota)).per(logPeriod(quota));
    }
  };

  private static final Duration YEAR = Duration.ofDays(360);

  /** The limit. */
  public abstract Limit limit(Quota quota);

  static DequeLogGate dequeLog(Quota quota) {
    return new DequeLogGate(logPermits(quota), logPeriod(quota));
  }

  private static int logPermits(Quota quota) {
    return switch (quota) {
      case ALWAYS -> 10_000_000;
      case NEVER -> 1;
      case MANY -> 1000;
    };
  }

  private static Duration logPeriod(Quota quota) {
    return switch (quota) {
      case ALWAYS -> Duration.ofMillis(10);
      case NEVER -> Duration.ofHours(1);
      case MANY -> Duration.ofSeconds(1);
    };
  }
}
