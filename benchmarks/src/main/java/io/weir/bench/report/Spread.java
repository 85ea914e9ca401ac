package io.weir.bench.report;

import java.util.Arrays;

/** The distribution of a few measurements. */
public record Spread(double min, double lower, double median, double upper, double max) {
  /** The spread of at least one value. */
  public static Spread of(double... values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("no values");
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return new Spread(
        sorted[0],
        quantile(sorted, 0.25),
        quantile(sorted, 0.5),
        quantile(sorted, 0.75),
        sorted[sorted.length - 1]);
  }

  private static double quantile(double[] sorted, double q) {
    double place = q * (sorted.length - 1);
    int below = (int) place;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  }

  /** Median, quartiles and range: {@code 1.23 [1.20–1.25] (1.10–1.40)}. */
  public String text() {
    return Numbers.three(median)
        + " ["
        + Numbers.three(lower)
        + "–"
        + Numbers.three(upper)
        + "] ("
        + Numbers.three(min)
        + "–"
        + Numbers.three(max)
        + ")";
  }
}
