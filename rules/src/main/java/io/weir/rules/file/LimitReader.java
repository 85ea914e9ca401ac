package io.weir.rules.file;

import io.weir.Limit;
import io.weir.rules.SourceLocation;
import io.weir.rules.text.Excerpt;
import io.weir.rules.yaml.ProblemCollector;
import io.weir.rules.yaml.ScalarReader;
import io.weir.rules.yaml.YamlFields;
import io.weir.rules.yaml.YamlNode;
import io.weir.rules.yaml.YamlNode.Scalar;
import io.weir.rules.yaml.YamlNode.Sequence;
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

  private final ProblemCollector problemCollector;
  private final ScalarReader scalarReader;

  LimitReader(ProblemCollector problemCollector) {
    this.problemCollector = problemCollector;
    this.scalarReader = new ScalarReader(problemCollector);
  }

  /**
   * The limits of a rule or an override, which must have exactly one of {@code limit} and {@code
   * limits}; empty on errors.
   *
   * @param what the owner of the limits, for messages: {@code a rule}
   */
  List<Limit> limits(YamlFields of, String what) {
    YamlNode one = of.get("limit");
    YamlNode several = of.get("limits");
    if (one != null && several != null) {
      SourceLocation at = of.keyOf("limits");
      problemCollector.error(
          at == null ? of.sourceLocation() : at,
          what + " has either 'limit' or 'limits', not both");
      return List.of();
    }
    if (one == null && several == null) {
      problemCollector.error(
          of.sourceLocation(), what + " needs a 'limit' or 'limits', such as limit: 10 per second");
      return List.of();
    }
    if (one != null) {
      Limit limit = limit(one);
      return limit == null ? List.of() : List.of(limit);
    }
    return several == null ? List.of() : several(several);
  }

  private List<Limit> several(YamlNode yamlNode) {
    if (!(yamlNode instanceof Sequence list) || list.items().isEmpty()) {
      problemCollector.error(
          yamlNode.sourceLocation(),
          "'limits' must be a list of at least one limit"
              + (yamlNode instanceof Sequence ? "" : ", but is " + yamlNode.inWords()));
      return List.of();
    }
    List<Limit> limits = new ArrayList<>();
    List<SourceLocation> sourceLocations = new ArrayList<>();
    for (YamlNode item : list.items()) {
      Limit limit = limit(item);
      if (limit == null) {
        continue;
      }
      for (int i = 0; i < limits.size(); i++) {
        if (isAlike(limits.get(i), limit)) {
          problemCollector.error(
              item.sourceLocation(),
              "the same algorithm and period as the limit at "
                  + sourceLocations.get(i)
                  + "; keep the stricter of the two");
        }
      }
      limits.add(limit);
      sourceLocations.add(item.sourceLocation());
    }
    return limits;
  }

  /** Whether one of the two limits is useless in the same rule. */
  static boolean isAlike(Limit one, Limit other) {
    return one.algorithm().equals(other.algorithm()) && period(one).equals(period(other));
  }

  private static Object period(Limit limit) {
    return limit instanceof Limit.FixedWindow window ? window.span() : limit.period();
  }

  /** A limit; null on errors. */
  @Nullable Limit limit(YamlNode yamlNode) {
    int before = problemCollector.count();
    if (yamlNode instanceof Scalar scalar && !scalar.isNull()) {
      RateSpec rateSpec = rate(scalar);
      return rateSpec == null
          ? null
          : build(AlgorithmSyntax.TOKEN_BUCKET, rateSpec, scalar.sourceLocation(), null);
    }
    if (!(yamlNode instanceof YamlNode.Mapping)) {
      problemCollector.error(
          yamlNode.sourceLocation(),
          "a limit must be a rate, such as 10 per second, or a map, but is " + yamlNode.inWords());
      return null;
    }
    YamlFields yamlFields = YamlFields.of(yamlNode, "a limit", KNOWN, problemCollector);
    if (yamlFields == null) {
      return null;
    }
    AlgorithmSyntax algorithmSyntax = algorithm(yamlFields, AlgorithmSyntax.TOKEN_BUCKET);
    Scalar text = yamlFields.scalar("rate");
    RateSpec rateSpec = text == null ? null : rate(text);
    if (yamlFields.get("rate") == null && algorithmSyntax != null) {
      problemCollector.error(
          yamlFields.sourceLocation(), "a limit needs a 'rate', such as rate: 10 per second");
    }
    if (algorithmSyntax != null) {
      refuseParametersOfOthers(algorithmSyntax, yamlFields);
    }
    if (algorithmSyntax == null
        || rateSpec == null
        || text == null
        || problemCollector.count() > before) {
      return null;
    }
    return build(algorithmSyntax, rateSpec, text.sourceLocation(), yamlFields);
  }

  /** The named algorithm, or {@code otherwise}; null if the name is unknown. */
  @Nullable AlgorithmSyntax algorithm(YamlFields yamlFields, AlgorithmSyntax otherwise) {
    SourceLocation max = yamlFields.keyOf(MAX);
    if (max != null) {
      problemCollector.error(
          max, "'max' belongs to concurrency, which is not supported yet; remove it");
    }
    if (yamlFields.get("algorithm") == null) {
      return otherwise;
    }
    Scalar name = yamlFields.scalar("algorithm");
    if (name == null) {
      return null;
    }
    AlgorithmSyntax algorithmSyntax = AlgorithmSyntax.named(name.text());
    if (algorithmSyntax == null) {
      problemCollector.error(
          name.sourceLocation(),
          name.text().equals(AlgorithmSyntax.CONCURRENCY)
              ? "algorithm 'concurrency' is not supported yet"
              : "unknown algorithm "
                  + Excerpt.quoted(name.text())
                  + ScalarReader.guessOrList(name.text(), AlgorithmSyntax.names()));
    }
    return algorithmSyntax;
  }

  /** Reports parameters that do not belong to {@code algorithm}. */
  void refuseParametersOfOthers(AlgorithmSyntax algorithmSyntax, YamlFields yamlFields) {
    for (String parameter : PARAMETERS) {
      SourceLocation key = yamlFields.keyOf(parameter);
      if (key != null && !algorithmSyntax.has(parameter)) {
        problemCollector.error(
            key,
            "'%s' is for %s; this is %s"
                .formatted(parameter, AlgorithmSyntax.having(parameter), algorithmSyntax));
      }
    }
  }

  private @Nullable RateSpec rate(Scalar text) {
    try {
      return RateSpec.parse(text.text());
    } catch (IllegalArgumentException e) {
      problemCollector.error(text.sourceLocation(), String.valueOf(e.getMessage()));
      return null;
    }
  }

  /** The limit with the parameters in {@code fields}; null on errors. */
  @Nullable Limit build(
      AlgorithmSyntax algorithmSyntax,
      RateSpec rateSpec,
      SourceLocation ratePlace,
      @Nullable YamlFields yamlFields) {
    int before = problemCollector.count();
    Long size =
        number(yamlFields, algorithmSyntax == AlgorithmSyntax.LEAKY_BUCKET ? "queue" : "burst");
    Long epochs = number(yamlFields, "epochs");
    boolean countRejected = yamlFields != null && scalarReader.isTrue(yamlFields, "count_rejected");
    ZoneId zone = zone(yamlFields);
    if (problemCollector.count() > before) {
      return null;
    }
    try {
      return build(algorithmSyntax, rateSpec, size, epochs, countRejected, zone);
    } catch (IllegalArgumentException e) {
      String message = String.valueOf(e.getMessage());
      problemCollector.error(placeOfFault(message, yamlFields, ratePlace), message);
      return null;
    }
  }

  private static Limit build(
      AlgorithmSyntax algorithmSyntax,
      RateSpec rateSpec,
      @Nullable Long size,
      @Nullable Long epochs,
      boolean countRejected,
      ZoneId zone) {
    long permits = rateSpec.permits();
    if (algorithmSyntax == AlgorithmSyntax.FIXED_WINDOW) {
      return new Limit.FixedWindow(permits, rateSpec.span(), zone);
    }
    Duration period = rateSpec.length(algorithmSyntax);
    return switch (algorithmSyntax) {
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

  private @Nullable Long number(@Nullable YamlFields yamlFields, String field) {
    Scalar scalar = yamlFields == null ? null : yamlFields.scalar(field);
    return scalar == null ? null : scalarReader.wholeNumber("'" + field + "'", scalar);
  }

  private ZoneId zone(@Nullable YamlFields yamlFields) {
    Scalar name = yamlFields == null ? null : yamlFields.scalar("zone");
    if (name == null) {
      return ZoneOffset.UTC;
    }
    try {
      ZoneId zone = ZoneId.of(name.text());
      // Normalised, because the zone is part of a bucket's identity.
      return zone.normalized().equals(ZoneOffset.UTC) ? ZoneOffset.UTC : zone;
    } catch (DateTimeException e) {
      String guess = DidYouMean.of(name.text(), ZoneId.getAvailableZoneIds());
      problemCollector.error(
          name.sourceLocation(),
          "unknown time zone "
              + Excerpt.quoted(name.text())
              + (guess.isEmpty() ? "; write one like Europe/Paris or UTC" : guess));
      return ZoneOffset.UTC;
    }
  }

  /** The message of an invalid limit starts with the name of the parameter. */
  private static SourceLocation placeOfFault(
      String message, @Nullable YamlFields yamlFields, SourceLocation ratePlace) {
    int space = message.indexOf(' ');
    YamlNode value =
        yamlFields == null || space < 0 ? null : yamlFields.get(message.substring(0, space));
    return value == null ? ratePlace : value.sourceLocation();
  }
}
