package io.weir.rules.file;

import io.weir.Limit;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The algorithms that a limit of the Envoy form may be counted by; a fixed window unless said. */
enum EnvoyAlgorithm {
  FIXED_WINDOW {
    @Override
    Limit limit(long requests, Duration period, EnvoyFields fields) {
      return Limit.fixedWindow(requests).per(period);
    }
  },
  TOKEN_BUCKET("burst") {
    @Override
    Limit limit(long requests, Duration period, EnvoyFields fields) {
      Limit.TokenBucket bucket = Limit.tokenBucket(requests).per(period);
      return fields.number("burst").map(bucket::burst).orElse(bucket);
    }
  },
  LEAKY_BUCKET("queue") {
    @Override
    Limit limit(long requests, Duration period, EnvoyFields fields) {
      Limit.LeakyBucket bucket = Limit.leakyBucket(requests).per(period);
      return fields.number("queue").map(bucket::queue).orElse(bucket);
    }
  },
  SLIDING_LOG("count_rejected") {
    @Override
    Limit limit(long requests, Duration period, EnvoyFields fields) {
      Limit.SlidingLog log = Limit.slidingLog(requests).per(period);
      return fields.flag("count_rejected") ? log.countingRejected() : log;
    }
  },
  SLIDING_WINDOW {
    @Override
    Limit limit(long requests, Duration period, EnvoyFields fields) {
      return Limit.slidingWindow(requests).per(period);
    }
  },
  SLIDING_EPOCHS("epochs", "count_rejected") {
    @Override
    Limit limit(long requests, Duration period, EnvoyFields fields) {
      // Ten unless said; asked for at once, since ten need not divide the period.
      int epochs = fields.number("epochs").map(EnvoyAlgorithm::toInt).orElse(10);
      boolean countRejected = fields.flag("count_rejected");
      return new Limit.SlidingEpochs(requests, period, epochs, countRejected);
    }
  };

  private static final List<String> PARAMETERS =
      List.of("burst", "queue", "epochs", "count_rejected");
  private static final List<String> NAMES =
      Arrays.stream(values()).map(EnvoyAlgorithm::toString).toList();

  private final List<String> parameters;

  EnvoyAlgorithm(String... parameters) {
    this.parameters = List.of(parameters);
  }

  abstract Limit limit(long requests, Duration period, EnvoyFields fields);

  /** The limit that {@code fields} describe; null, and an error, if there is no such limit. */
  static @Nullable Limit limit(EnvoyFields fields, long requests, Duration period) {
    EnvoyAlgorithm algorithm = named(fields);
    if (algorithm == null || !algorithm.takes(fields)) {
      return null;
    }
    try {
      return algorithm.limit(requests, period, fields);
    } catch (IllegalArgumentException e) {
      fields.error(algorithm.culprit(fields), String.valueOf(e.getMessage()));
      return null;
    }
  }

  private static @Nullable EnvoyAlgorithm named(EnvoyFields fields) {
    if (!fields.has("algorithm")) {
      return FIXED_WINDOW;
    }
    String name = fields.text("algorithm");
    int place = NAMES.indexOf(name);
    if (place >= 0) {
      return values()[place];
    }
    fields.error(
        "algorithm",
        name.equals("concurrency")
            ? "algorithm 'concurrency' is not there yet"
            : "unknown algorithm " + Excerpt.quoted(name) + DidYouMean.of(name, NAMES));
    return null;
  }

  private boolean takes(EnvoyFields fields) {
    boolean takesAll = true;
    for (String parameter : PARAMETERS) {
      if (fields.has(parameter) && !parameters.contains(parameter)) {
        takesAll = false;
        fields.error(parameter, "'" + parameter + "' is no parameter of " + this);
      }
    }
    return takesAll;
  }

  private static int toInt(long number) {
    return (int) Math.min(number, Integer.MAX_VALUE);
  }

  /** The field that is most likely at fault when the numbers do not go together. */
  private String culprit(EnvoyFields fields) {
    return parameters.stream().filter(fields::has).findFirst().orElse("window");
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
