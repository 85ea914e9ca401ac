package io.weir.cli.simulate;

import io.weir.cli.simulate.TimeSeries.Band;

/** A time chart of the size of a word. */
final class Sparkline {
  private static final int HEIGHT = 28;

  private Sparkline() {}

  static void draw(HtmlWriter htmlWriter, TimeSeries series) {
    long highest = 1;
    for (int i = 0; i < series.spans(); i++) {
      long sum = 0;
      for (Band band : series.bands()) {
        sum += band.counts().get(i);
      }
      highest = Math.max(highest, sum);
    }
    htmlWriter.open(
        "svg",
        "class",
        "sparkline",
        "width",
        "120",
        "height",
        String.valueOf(HEIGHT),
        "viewBox",
        "0 0 " + series.spans() + " " + HEIGHT,
        "preserveAspectRatio",
        "none",
        "aria-hidden",
        "true");
    double[] base = new double[series.spans()];
    for (Band band : series.bands()) {
      StringBuilder path = new StringBuilder();
      for (int i = 0; i < series.spans(); i++) {
        long count = band.counts().get(i);
        if (count > 0) {
          double tall = Math.max(0.8, (double) count / highest * HEIGHT);
          path.append('M')
              .append(i)
              .append(' ')
              .append(TimeChart.number(HEIGHT - base[i]))
              .append('v')
              .append(TimeChart.number(-tall))
              .append("h1v")
              .append(TimeChart.number(tall))
              .append('z');
          base[i] += tall;
        }
      }
      if (path.length() > 0) {
        htmlWriter.empty("path", "class", band.style(), "d", path.toString());
      }
    }
    htmlWriter.close();
  }
}
