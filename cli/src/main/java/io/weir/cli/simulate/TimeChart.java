package io.weir.cli.simulate;

import io.weir.cli.simulate.TimeSeries.Band;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Bars over time, stacked, above and below an axis; drawn as SVG without scripts. Shapes are
 * stretched to the available width; texts are not.
 */
final class TimeChart {
  private static final HumanFormat WORDS = HumanFormat.PAGE;
  private static final int TOP = 18;
  private static final int LABELS = 26;
  private static final int MAX_MOMENTS = 13;
  private static final double BAR = 0.82;

  private final TimeSeries series;
  private final int height;
  private final long up;
  private final long down;
  private final double scale;
  private final long step;

  TimeChart(TimeSeries series, int height) {
    this.series = series;
    this.height = height;
    long above = highest(series, false);
    long below = highest(series, true);
    this.step = Ticks.step(Math.max(1, Math.max(above, below)), below > 0 ? 2 : 4);
    this.up = below > 0 && above == 0 ? 0 : -Math.floorDiv(-Math.max(1, above), step) * step;
    this.down = -Math.floorDiv(-below, step) * step;
    this.scale = (double) height / (up + down);
  }

  private static long highest(TimeSeries series, boolean isBelow) {
    long highest = 0;
    for (int i = 0; i < series.spans(); i++) {
      long sum = 0;
      for (Band band : series.bands()) {
        sum += band.isBelow() == isBelow ? band.counts().get(i) : 0;
      }
      highest = Math.max(highest, sum);
    }
    return highest;
  }

  /** Draws the chart; its numbers are in the page's data under {@code id}. */
  void draw(HtmlWriter htmlWriter, String id, String title) {
    legend(htmlWriter);
    htmlWriter.open(
        "svg",
        "class",
        "chart",
        "width",
        "100%",
        "height",
        String.valueOf(TOP + height + LABELS),
        "role",
        "img",
        "aria-label",
        title + ". " + inWords(),
        "data-chart",
        id);
    grid(htmlWriter);
    htmlWriter.open(
        "svg",
        "class",
        "plot",
        "x",
        "0",
        "y",
        String.valueOf(TOP),
        "width",
        "100%",
        "height",
        String.valueOf(height),
        "viewBox",
        "0 0 " + series.spans() + " " + height,
        "preserveAspectRatio",
        "none");
    htmlWriter.empty(
        "rect",
        "class",
        "cursor",
        "x",
        "-2",
        "y",
        "0",
        "width",
        "1",
        "height",
        String.valueOf(height));
    bars(htmlWriter);
    htmlWriter.close();
    moments(htmlWriter);
    htmlWriter.close();
    htmlWriter
        .element("p", "", "class", "readout", "aria-live", "polite", "data-readout", id)
        .newLine();
  }

  private void legend(HtmlWriter htmlWriter) {
    htmlWriter.open("p", "class", "legend");
    for (Band band : series.bands()) {
      if (band.sum() > 0) {
        htmlWriter.open("span", "class", "key");
        htmlWriter.open("svg", "width", "10", "height", "10", "aria-hidden", "true");
        htmlWriter
            .empty("rect", "class", band.style(), "width", "10", "height", "10", "rx", "2")
            .close();
        htmlWriter
            .text(" " + band.name() + " ")
            .element("b", WORDS.count(band.sum()))
            .close()
            .text(" ");
      }
    }
    htmlWriter.element("span", "per " + HumanFormat.span(series.span()), "class", "faint").close();
  }

  private String inWords() {
    return series.bands().stream()
        .filter(band -> band.sum() > 0)
        .map(band -> band.name() + " " + WORDS.count(band.sum()))
        .collect(Collectors.joining(", "));
  }

  private void grid(HtmlWriter htmlWriter) {
    for (long value = -down; value <= up; value += step) {
      String y = number(TOP + (up - value) * scale);
      htmlWriter.empty(
          "line", "class", value == 0 ? "axis" : "grid", "x1", "0", "x2", "100%", "y1", y, "y2", y);
      if (value != 0) {
        htmlWriter.element(
            "text",
            WORDS.count(Math.abs(value)),
            "class",
            "value",
            "x",
            "0",
            "y",
            number(TOP + (up - value) * scale - 4));
      }
    }
  }

  private void bars(HtmlWriter htmlWriter) {
    int spans = series.spans();
    long[] above = new long[spans];
    long[] below = new long[spans];
    for (Band band : series.bands()) {
      StringBuilder path = new StringBuilder();
      for (int i = 0; i < spans; i++) {
        long count = band.counts().get(i);
        if (count == 0) {
          continue;
        }
        long from = band.isBelow() ? -below[i] - count : above[i];
        (band.isBelow() ? below : above)[i] += count;
        double bottom = (up - from) * scale;
        // Every count must be visible, even one request among a million.
        double tall = Math.max(count * scale, 1);
        path.append('M')
            .append(number(i + (1 - BAR) / 2))
            .append(' ')
            .append(number(bottom))
            .append('v')
            .append(number(-tall))
            .append('h')
            .append(number(BAR))
            .append('v')
            .append(number(tall))
            .append('z');
      }
      if (path.length() > 0) {
        htmlWriter.empty("path", "class", band.style(), "d", path.toString());
      }
    }
  }

  private void moments(HtmlWriter htmlWriter) {
    long from = series.start().toEpochMilli();
    long length = series.span().toMillis() * series.spans();
    List<Ticks.Moment> moments = Ticks.moments(from, from + length, MAX_MOMENTS);
    for (Ticks.Moment moment : moments) {
      double share = (double) (moment.epochMillis() - from) / length;
      String x = number(100 * share) + "%";
      String room = moment.isMajor() || moments.size() <= MAX_MOMENTS / 2 ? "" : " wide";
      htmlWriter.empty(
          "line",
          "class",
          "tick" + room,
          "x1",
          x,
          "x2",
          x,
          "y1",
          String.valueOf(TOP + height),
          "y2",
          String.valueOf(TOP + height + 5));
      htmlWriter.element(
          "text",
          moment.label(),
          "class",
          "moment" + room + (share < 0.02 ? " first" : share > 0.98 ? " last" : ""),
          "x",
          x,
          "y",
          String.valueOf(TOP + height + 19));
    }
  }

  /** The number with as few digits as the chart can show. */
  static String number(double value) {
    String text = String.format(Locale.ROOT, "%.2f", value);
    return text.contains(".") ? text.replaceFirst("\\.?0+$", "") : text;
  }
}
