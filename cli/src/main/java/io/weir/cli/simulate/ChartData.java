package io.weir.cli.simulate;

import io.weir.cli.simulate.TimeSeries.Band;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** The numbers of a page's time charts, for the script that shows them. */
final class ChartData {
  private final Map<String, TimeSeries> charts = new LinkedHashMap<>();

  void add(String id, TimeSeries series) {
    charts.put(id, series);
  }

  String json() {
    return charts.entrySet().stream()
        .map(chart -> ScriptJson.string(chart.getKey()) + ":" + json(chart.getValue()))
        .collect(Collectors.joining(",\n", "{", "}"));
  }

  private static String json(TimeSeries series) {
    return "{\"start\":%d,\"span\":%d,\"bands\":[%s]}"
        .formatted(
            series.start().toEpochMilli(),
            series.span().toMillis(),
            series.bands().stream()
                .filter(band -> band.sum() > 0)
                .map(ChartData::json)
                .collect(Collectors.joining(",")));
  }

  private static String json(Band band) {
    return "{\"name\":%s,\"counts\":%s}"
        .formatted(ScriptJson.string(band.name()), ScriptJson.numbers(band.counts()));
  }
}
