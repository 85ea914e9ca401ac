package io.weir.bench.report;

import java.util.List;

/**
 * A target for a measured number.
 *
 * @param what in words
 * @param direction whether more or less is better
 * @param first the first target
 * @param then the further target; the same as {@code first} if there is none
 * @param measured the measured number
 * @param range how far it varied, in words; may be empty
 */
public record Bar(
    String what, Direction direction, double first, double then, double measured, String range) {
  /** Which direction is better. */
  public enum Direction {
    AT_LEAST("≥"),
    AT_MOST("≤");

    private final String sign;

    Direction(String sign) {
      this.sign = sign;
    }

    boolean reached(double measured, double bar) {
      return this == AT_LEAST ? measured >= bar : measured <= bar;
    }
  }

  /** A target for the median of a spread. */
  public static Bar of(
      String what, Direction direction, double first, double then, Spread measured) {
    return new Bar(what, direction, first, then, measured.median(), measured.text());
  }

  /** A table of targets. */
  public static String table(List<Bar> bars) {
    MarkdownTable table = new MarkdownTable("to reach", "bar", "then", "measured", "verdict");
    for (Bar bar : bars) {
      table.row(
          bar.what,
          bar.direction.sign + " " + Numbers.three(bar.first),
          bar.then == bar.first ? "" : bar.direction.sign + " " + Numbers.three(bar.then),
          bar.range.isEmpty() ? Numbers.three(bar.measured) : bar.range,
          bar.outcome());
    }
    return table.toString();
  }

  /** Whether it was reached. */
  public boolean passed() {
    return direction.reached(measured, first);
  }

  private String outcome() {
    if (!passed()) {
      return "MISS";
    }
    return then != first && direction.reached(measured, then) ? "pass, and beyond" : "pass";
  }
}
