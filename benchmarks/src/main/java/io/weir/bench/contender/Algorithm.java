package io.weir.bench.contender;

import io.weir.Limit;
import java.time.Duration;

/** Weir's algorithms, each with limits as close to a {@link CaseLimit} as it can express. */
public enum Algorithm {
  TOKEN_BUCKET {
    @Override
    public Limit limit(CaseLimit caseLimit) {
      return Limit.tokenBucket(caseLimit.permits())
          .per(caseLimit.period())
          .burst(caseLimit.burst());
    }
  },

  LEAKY_BUCKET {
    @Override
    public Limit limit(CaseLimit caseLimit) {
      return Limit.leakyBucket(caseLimit.permits())
          .per(caseLimit.period())
          .queue(caseLimit.burst() - 1);
    }
  },

  /** Windows last a year, so that hardly any run reaches the end of one. */
  FIXED_WINDOW {
    @Override
    public Limit limit(CaseLimit caseLimit) {
      return Limit.fixedWindow(caseLimit.burst()).per(YEAR);
    }
  },

  SLIDING_WINDOW {
    @Override
    public Limit limit(CaseLimit caseLimit) {
      return Limit.slidingWindow(caseLimit.burst()).per(YEAR);
    }
  },

  SLIDING_EPOCHS {
    @Override
    public Limit limit(CaseLimit caseLimit) {
      return Limit.slidingEpochs(caseLimit.burst()).per(YEAR).epochs(15);
    }
  },

  /**
   * A log cannot have a burst of millions, since it stores each permit. The hot key that is never
   * refused gets a window so short that the log stays small. Many keys get 1000 a second, at which
   * the most popular keys of the Zipf traffic are refused.
   */
  SLIDING_LOG {
    @Override
    public Limit limit(CaseLimit caseLimit) {
      return Limit.slidingLog(logPermits(caseLimit)).per(logPeriod(caseLimit));
    }
  };

  private static final Duration YEAR = Duration.ofDays(360);

  /** The limit. */
  public abstract Limit limit(CaseLimit caseLimit);

  static DequeLogLimiter dequeLog(CaseLimit caseLimit) {
    return new DequeLogLimiter(logPermits(caseLimit), logPeriod(caseLimit));
  }

  private static int logPermits(CaseLimit caseLimit) {
    return switch (caseLimit) {
      case ALWAYS -> 10_000_000;
      case NEVER -> 1;
      case MANY -> 1000;
    };
  }

  private static Duration logPeriod(CaseLimit caseLimit) {
    return switch (caseLimit) {
      case ALWAYS -> Duration.ofMillis(10);
      case NEVER -> Duration.ofHours(1);
      case MANY -> Duration.ofSeconds(1);
    };
  }
}
