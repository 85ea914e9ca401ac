package io.weir.rules.file;

import io.weir.Limit;
import io.weir.rules.Place;
import io.weir.rules.file.Node.Scalar;
import io.weir.rules.file.Node.Sequence;
import io.weir.rules.text.Excerpt;
import io.weir.text.DidYouMean;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@code limit} and {@code limits}: {@code 10 per second}, or a map with parameters. */
final class LimitReader {
  /** The parameters of algorithms, in the order in which they are documented. */
  static final List<String> PARAMETERS =
      List.of("burst", "queue", "epochs", "count_rejected", "zone");

  /** The fields of a limit. */
  static final List<String> FIELDS =
      List.of("algorithm", "rate", "burst", "queue", "epochs", "count_rejected", "zone");

  private static final String MAX = "max";
  private static final List<String> KNOWN =
      List.of("algorithm", "rate", "burst", "queue", "epochs", "count_rejected", "zone", MAX);

  private final Problems problems;
  private final Values values;

  LimitReader(Problems problems) {
    this.problems = problems;
    this.values = new Values(problems);
  }

  /**
   * The limits of a rule or an override, which must have exactly one of {@code limit} and {@code
   * limits}; empty on errors.
   *
   * @param what the owner of the limits, for messages: {@code a rule}
   */
  List<Limit> limits(Fields of, String what) {
    Node one = of.get("limit");
    Node several = of.get("limits");
    if (one != null && several != null) {
      Place at = of.keyOf("limits");
      problems.error(
          at == null ? of.place() : at, what + " has either 'limit' or 'limits', not both");
      return List.of();
    }
    if (one == null && several == null) {
      problems.error(
          of.place(), what + " needs a 'limit' or 'limits', such as limit: 10 per second");
      return List.of();
    }
    if (one != null) {
      Limit limit = limit(one);
      return limit == null ? List.of() : List.of(limit);
    }
    return several == null ? List.of() : several(several);
  }

  private List<Limit> several(Node node) {
    if (!(node instanceof Sequence list) || list.items().isEmpty()) {
      problems.error(
          node.place(),
          "'limits' must be a list of at least one limit"
              + (node instanceof Sequence ? "" : ", but is " + node.inWords()));
      return List.of();
    }
    List<Limit> limits = new ArrayList<>();
    List<Place> places = new ArrayList<>();
    for (Node item : list.items()) {
      Limit limit = limit(item);
      if (limit == null) {
        continue;
      }
      for (int i = 0; i < limits.size(); i++) {
        if (isAlike(limits.get(i), limit)) {
          problems.error(
              item.place(),
              "the same algorithm and period as the limit at "
                  + places.get(i)
                  + "; keep the stricter of the two");
        }
      }
      limits.add(limit);
      places.add(item.place());
    }
    return limits;
  }

  /** Whether one of the two limits is useless in the same rule. */
  static boolean isAlike(Limit one, Limit other) {
    return one.algorithm().equals(other.algorithm()) && period(one).equals(period(other));
  }

  private static Object period(Limit limit) {
    if (limit instanceof Limit.TokenBucket bucket) {
      return bucket.period();
    } else if (limit instanceof Limit.LeakyBucket bucket) {
      return bucket.period();
    } else if (limit instanceof Limit.SlidingLog log) {
      return log.period();
    } else if (limit instanceof Limit.SlidingWindow window) {
      return window.period();
    } else if (limit instanceof Limit.SlidingEpochs epochs) {
      return epochs.period();
    }
    return ((Limit.FixedWindow) limit).span();
  }

  /** A limit; null on errors. */
  @Nullable Limit limit(Node node) {
    int before = problems.count();
    if (node instanceof Scalar scalar && !scalar.isNull()) {
      Rate rate = rate(scalar);
      return rate == null ? null : build(Algorithm.TOKEN_BUCKET, rate, scalar.place(), null);
    }
    if (!(node instanceof Node.Mapping)) {
      problems.error(
          node.place(),
          "a limit must be a rate, such as 10 per second, or a map, but is " + node.inWords());
      return null;
    }
    Fields fields = Fields.of(node, "a limit", KNOWN, problems);
    if (fields == null) {
      return null;
    }
    Algorithm algorithm = algorithm(fields, Algorithm.TOKEN_BUCKET);
    Scalar text = fields.scalar("rate");
    Rate rate = text == null ? null : rate(text);
    if (fields.get("rate") == null && algorithm != null) {
      problems.error(fields.place(), "a limit needs a 'rate', such as rate: 10 per second");
    }
    if (algorithm != null) {
      refuseParametersOfOthers(algorithm, fields);
    }
    if (algorithm == null || rate == null || text == null || problems.count() > before) {
      return null;
    }
    return build(algorithm, rate, text.place(), fields);
  }

  /** The named algorithm, or {@code otherwise}; null if the name is unknown. */
  @Nullable Algorithm algorithm(Fields fields, Algorithm otherwise) {
    Place max = fields.keyOf(MAX);
    if (max != null) {
      problems.error(max, "'max' belongs to concurrency, which is not supported yet; remove it");
    }
    if (fields.get("algorithm") == null) {
      return otherwise;
    }
    Scalar name = fields.scalar("algorithm");
    if (name == null) {
      return null;
    }
    Algorithm algorithm = Algorithm.named(name.text());
    if (algorithm == null) {
      problems.error(
          name.place(),
          name.text().equals(Algorithm.CONCURRENCY)
              ? "algorithm 'concurrency' is not supported yet"
              : "unknown algorithm "
                  + Excerpt.quoted(name.text())
                  + Values.guessOrList(name.text(), Algorithm.names()));
    }
    return algorithm;
  }

  /** Reports parameters that do not belong to {@code algorithm}. */
  void refuseParametersOfOthers(Algorithm algorithm, Fields fields) {
    for (String parameter : PARAMETERS) {
      Place key = fields.keyOf(parameter);
      if (key != null && !algorithm.has(parameter)) {
        problems.error(
            key,
            "'%s' is for %s; this is %s"
                .formatted(parameter, Algorithm.having(parameter), algorithm));
      }
    }
  }

  private @Nullable Rate rate(Scalar text) {
    try {
      return Rate.parse(text.text());
    } catch (IllegalArgumentException e) {
      problems.error(text.place(), String.valueOf(e.getMessage()));
      return null;
    }
  }

  /** The limit with the parameters in {@code fields}; null on errors. */
  @Nullable Limit build(Algorithm algorithm, Rate rate, Place ratePlace, @Nullable Fields fields) {
    int before = problems.count();
    Long size = number(fields, algorithm == Algorithm.LEAKY_BUCKET ? "queue" : "burst");
    Long epochs = number(fields, "epochs");
    boolean countRejected = fields != null && values.isTrue(fields, "count_rejected");
    ZoneId zone = zone(fields);
    if (problems.count() > before) {
      return null;
    }
    try {
      return build(algorithm, rate, size, epochs, countRejected, zone);
    } catch (IllegalArgumentException e) {
      String message = String.valueOf(e.getMessage());
      problems.error(placeOfFault(message, fields, ratePlace), message);
      return null;
    }
  }

  private static Limit build(
      Algorithm algorithm,
      Rate rate,
      @Nullable Long size,
      @Nullable Long epochs,
      boolean countRejected,
      ZoneId zone) {
    long permits = rate.permits();
    if (algorithm == Algorithm.FIXED_WINDOW) {
      return new Limit.FixedWindow(permits, rate.span(), zone);
    }
    Duration period = rate.length(algorithm);
    return switch (algorithm) {
      case TOKEN_BUCKET -> tokenBucket(permits, period, size);
      case LEAKY_BUCKET ->
          size == null
              ? Limit.leakyBucket(permits).per(period)
              : new Limit.LeakyBucket(permits, period, size);
      case SLIDING_LOG -> new Limit.SlidingLog(permits, period, countRejected);
      case SLIDING_WINDOW -> new Limit.SlidingWindow(permits, period);
      default ->
          new Limit.SlidingEpochs(
              permits,
              period,
              epochs == null ? 10 : (int) Math.min(epochs, Integer.MAX_VALUE),
              countRejected);
    };
  }

  private static Limit tokenBucket(long permits, Duration period, @Nullable Long burst) {
    if (permits == 0 && burst != null) {
      throw new IllegalArgumentException(
          "burst makes no sense at a rate of 0, which always refuses; leave it out");
    }
    return new Limit.TokenBucket(permits, period, burst == null ? permits : burst);
  }

  private @Nullable Long number(@Nullable Fields fields, String field) {
    Scalar scalar = fields == null ? null : fields.scalar(field);
    return scalar == null ? null : values.wholeNumber("'" + field + "'", scalar);
  }

  private ZoneId zone(@Nullable Fields fields) {
    Scalar name = fields == null ? null : fields.scalar("zone");
    if (name == null) {
      return ZoneOffset.UTC;
    }
    try {
      ZoneId zone = ZoneId.of(name.text());
      // Normalised, because the zone is part of a bucket's identity.
      return zone.normalized().equals(ZoneOffset.UTC) ? ZoneOffset.UTC : zone;
    } catch (DateTimeException e) {
      String guess = DidYouMean.of(name.text(), ZoneId.getAvailableZoneIds());
      problems.error(
          name.place(),
          "unknown time zone "
              + Excerpt.quoted(name.text())
              + (guess.isEmpty() ? "; write one like Europe/Paris or UTC" : guess));
      return ZoneOffset.UTC;
    }
  }

  /** The message of an invalid limit starts with the name of the parameter. */
  private static Place placeOfFault(String message, @Nullable Fields fields, Place ratePlace) {
    int space = message.indexOf(' ');
    Node value = fields == null || space < 0 ? null : fields.get(message.substring(0, space));
    return value == null ? ratePlace : value.place();
  }
}
