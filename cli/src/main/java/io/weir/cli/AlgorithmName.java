package io.weir.cli;

import io.weir.Limit;
import io.weir.text.DidYouMean;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.LongFunction;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The algorithms by their names on the command line. */
enum AlgorithmName {
  TOKEN_BUCKET(Limit::tokenBucket),
  LEAKY_BUCKET(Limit::leakyBucket),
  FIXED_WINDOW(Limit::fixedWindow),
  SLIDING_LOG(Limit::slidingLog),
  SLIDING_WINDOW(Limit::slidingWindow),
  SLIDING_EPOCHS(Limit::slidingEpochs);

  private final LongFunction<Limit.Per<? extends Limit>> limit;

  AlgorithmName(LongFunction<Limit.Per<? extends Limit>> limit) {
    this.limit = limit;
  }

  Limit limit(long permits, Duration period) {
    return limit.apply(permits).per(period);
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Reads an algorithm's name. */
  static final class Option implements ITypeConverter<AlgorithmName> {
    @Override
    public AlgorithmName convert(String name) {
      return Arrays.stream(values())
          .filter(algorithmName -> algorithmName.toString().equals(name))
          .findFirst()
          .orElseThrow(() -> unknown(name));
    }

    private static TypeConversionException unknown(String name) {
      var names = Arrays.stream(values()).map(AlgorithmName::toString).toList();
      return new TypeConversionException(
          "unknown algorithm '" + name + "'" + DidYouMean.of(name, names));
    }
  }
}
