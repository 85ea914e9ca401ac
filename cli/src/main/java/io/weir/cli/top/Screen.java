package io.weir.cli.top;

import io.weir.cli.node.AdminClient;
import io.weir.cli.node.JsonValue;
import io.weir.cli.node.TerminalSanitizer;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Lays a snapshot out in lines, for a screen of some size or without a size. */
final class Screen {
  private static final String BOLD = "1";
  private static final String FAINT = "2";
  private static final String RED = "31";
  private static final String GREEN = "32";
  private static final String YELLOW = "33";
  private static final String INVERSE = "7";
  private static final Map<String, String> WORDS =
      Map.of(
          "denied", "refused",
          "shadow_denied", "would be refused",
          "unmatched", "met no rule",
          "error", "returned 503");
  private static final int CHART_LABEL = 10;
  private static final int CHART_RATE = 10;
  private static final int MIN_NAME_WIDTH = 20;
  private static final int NUMBER = 9;
  private static final int ID = 17;
  private static final int NUMBERS = 9 + 9 + 8 + 8 + 8;
  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneId.systemDefault());

  private final int width;
  private final boolean isPainted;
  private final List<String> lines = new ArrayList<>();

  private Screen(int width, boolean isPainted) {
    this.width = width;
    this.isPainted = isPainted;
  }

  /** How many rules fit on a screen of that height, above the list of keys. */
  static int rules(int height) {
    return Math.max(1, height - 9 - keys(height));
  }

  private static int keys(int height) {
    return height < 20 ? 0 : Math.min(12, height / 3);
  }

  /**
   * Lines for a terminal.
   *
   * @param trouble why there is nothing newer; empty: there is
   */
  static List<String> of(
      Snapshot snapshot, ViewState viewState, String trouble, int width, int height) {
    Screen screen = new Screen(width, true);
    screen.addAll(snapshot, viewState, rules(height), keys(height), true);
    int last = trouble.isEmpty() ? 1 : 2;
    while (screen.lines.size() < height - last) {
      screen.lines.add("");
    }
    List<String> shown = new ArrayList<>(screen.lines.subList(0, Math.max(0, height - last)));
    if (!trouble.isEmpty()) {
      shown.add(screen.paint(RED, TerminalFormat.cut(trouble, width)));
    }
    CallerChange pending = viewState.change;
    shown.add(
        pending == null
            ? screen.paint(FAINT, TerminalFormat.cut(help(viewState), width))
            : screen.paint(BOLD, TerminalFormat.cut(pending.prompt(), width)));
    return shown;
  }

  private static String help(ViewState viewState) {
    return "q quit  s sort: "
        + viewState.sortWord()
        + (viewState.focus() != ViewState.Focus.RULES
            ? "  ↑↓ choose  x reset  g grant  tab next list"
            : viewState.rule == null
                ? "  ↑↓ choose  r only this rule  tab callers"
                : "  r or esc all rules  tab callers")
        + "  ←→ range: "
        + viewState.range();
  }

  /** The line for a node that does not respond now. */
  static String trouble(AdminClient.NodeUnavailableException why) {
    String words = TerminalSanitizer.text(String.valueOf(why.getMessage()));
    return CLOCK.format(Instant.now())
        + (why instanceof AdminClient.BadRequestException ? "  " : "  not answering: ")
        + words;
  }

  /** The line for a node that has not responded for a while. */
  static String silent(Instant since, String why) {
    return "not answering since " + CLOCK.format(since) + (why.isEmpty() ? "" : ": " + why);
  }

  /** Lines for a file or a pipe. */
  static List<String> plain(Snapshot snapshot, ViewState viewState) {
    Screen screen = new Screen(100, false);
    screen.addAll(snapshot, viewState, Integer.MAX_VALUE, 12, false);
    return screen.lines;
  }

  /** One line about the last seconds. */
  static String line(Snapshot snapshot) {
    JsonValue jsonValue = snapshot.overview();
    return CLOCK.format(Instant.ofEpochMilli(jsonValue.at("time").number()))
        + "  allowed/s "
        + TerminalFormat.rate(snapshot.rate("allowed"))
        + "  refused/s "
        + TerminalFormat.rate(snapshot.rate("denied"))
        + "  would be refused/s "
        + TerminalFormat.rate(snapshot.rate("shadow_denied"))
        + "  delayed/s "
        + TerminalFormat.rate(snapshot.rate("delayed"))
        + "  store "
        + word(jsonValue.at("store.state").text()).toLowerCase(Locale.ROOT);
  }

  private void addAll(Snapshot snapshot, ViewState viewState, int rules, int keys, boolean isLive) {
    addHead(snapshot.overview());
    addRates(snapshot);
    addCharts(snapshot);
    addRules(snapshot, viewState, rules, isLive);
    if (keys > 2) {
      addKeys(snapshot, viewState, keys);
    }
  }

  private void addHead(JsonValue jsonValue) {
    String store = jsonValue.at("store.state").text();
    boolean isReady = Boolean.TRUE.equals(jsonValue.at("node.ready").value());
    long up = (jsonValue.at("time").number() - jsonValue.at("node.started").number()) / 1000;
    String head =
        "weir "
            + jsonValue.at("node.version").text()
            + "  up "
            + TerminalFormat.time(up)
            + "  "
            + (isReady ? "ready" : "not ready")
            + "  store "
            + jsonValue.at("node.store").text()
            + " "
            + word(store)
            + "  p50 "
            + micros(jsonValue.at("decisions.p50_us"))
            + "  p99 "
            + micros(jsonValue.at("decisions.p99_us"))
            + "  "
            + CLOCK.format(Instant.ofEpochMilli(jsonValue.at("time").number()));
    lines.add(
        paint(store.equals("ok") && isReady ? BOLD : YELLOW, TerminalFormat.cut(head, width)));
    if (!store.equals("ok")) {
      String colour = store.equals("down") ? RED : YELLOW;
      lines.add(
          paint(
              colour,
              TerminalFormat.cut(TerminalSanitizer.text(StoreProblemLine.of(jsonValue)), width)));
    }
  }

  private static String word(String state) {
    return switch (state) {
      case "ok" -> "OK";
      case "down" -> "OUTAGE";
      default -> state;
    };
  }

  private void addRates(Snapshot snapshot) {
    StringBuilder rates = new StringBuilder();
    for (String each : snapshot.outcomes()) {
      if (each.equals("error") && snapshot.rate(each) == 0) {
        continue; // there are some only in an outage
      }
      rates
          .append(WORDS.getOrDefault(each, each))
          .append(' ')
          .append(TerminalFormat.rate(snapshot.rate(each)))
          .append("/s  ");
    }
    long fallback = snapshot.minute().at("fallback").number();
    if (fallback > 0) {
      rates.append("without the store ").append(TerminalFormat.count(fallback)).append(" a minute");
    }
    String line = rates.toString().stripTrailing();
    lines.add(isPainted ? TerminalFormat.cut(line, width) : line); // a file has room
  }

  private static String micros(JsonValue value) {
    return value.isNothing() ? "-" : TerminalFormat.micros(value.decimal());
  }

  private void addCharts(Snapshot snapshot) {
    JsonValue series = snapshot.series();
    String rule = snapshot.snapshotQuery().rule();
    long[] passed = sum(series.at("allowed").numbers(), series.at("delayed").numbers());
    // For one rule, what it would refuse is an outcome of its own; among requests, these are
    // allowed.
    String others = rule == null ? "unmatched" : "shadow_denied";
    long[] allowed = sum(passed, series.at(others).numbers());
    long[] refused = series.at("denied").numbers();
    double step = Math.max(1, series.at("step_ms").number() / 1000.0);
    String name = rule == null ? "all rules" : TerminalSanitizer.text(rule);
    lines.add(
        paint(
            FAINT, TerminalFormat.cut(name + ", last " + snapshot.snapshotQuery().range(), width)));
    addChart("allowed", GREEN, allowed, step);
    addChart("refused", RED, refused, step);
    lines.add("");
  }

  private static long[] sum(long[] one, long[] other) {
    long[] sum = one.clone();
    for (int i = 0; i < Math.min(sum.length, other.length); i++) {
      sum[i] = sum[i] < 0 ? -1 : sum[i] + Math.max(0, other[i]);
    }
    return sum;
  }

  private void addChart(String name, String colour, long[] counts, double step) {
    int room = Math.max(1, width - CHART_LABEL - CHART_RATE);
    long max = 0;
    for (int i = Math.max(0, counts.length - room); i < counts.length; i++) {
      max = Math.max(max, counts[i]);
    }
    lines.add(
        TerminalFormat.left(name, CHART_LABEL)
            + paint(colour, TerminalFormat.left(TerminalFormat.bars(counts, max, room), room))
            + TerminalFormat.right(TerminalFormat.rate(max / step) + "/s", CHART_RATE));
  }

  private void addRules(Snapshot snapshot, ViewState viewState, int maxRules, boolean isLive) {
    JsonValue jsonValue = snapshot.overview();
    int name = Math.max(12, Math.min(40, (width - NUMBERS) / 2));
    String title =
        TerminalFormat.left("RULE", name)
            + TerminalFormat.right("ALLOWED/S", 10)
            + TerminalFormat.right("REFUSED/S", 10)
            + TerminalFormat.right("SHARE", 9)
            + TerminalFormat.right("CALLERS", 9)
            + "  "
            + "LIMIT";
    lines.add(paint(BOLD, TerminalFormat.cut(title, width)));
    int number = 0;
    for (JsonValue rule : jsonValue.at("rules.items").items()) {
      if (number >= maxRules) {
        break;
      }
      String row = row(rule, name, snapshot.seconds());
      String line = isLive ? TerminalFormat.cut(row, width) : row; // a file has no width limit
      boolean isPointedAt =
          isLive
              && viewState.focus() == ViewState.Focus.RULES
              && snapshot.snapshotQuery().offset() + number == viewState.pointedAt();
      boolean refuses = rule.at("minute.denied").number() > 0;
      lines.add(
          isPointedAt
              ? paint(INVERSE, TerminalFormat.left(line, width))
              : refuses ? paint(RED, line) : line);
      number++;
    }
    long left =
        jsonValue.at("rules.matching").number() - snapshot.snapshotQuery().offset() - number;
    if (left > 0 && !isLive) {
      lines.add("… and " + left + " more");
    }
  }

  private static String row(JsonValue rule, int name, double seconds) {
    String mode = rule.at("mode").text();
    List<String> limits = rule.at("limits").items().stream().map(JsonValue::text).toList();
    List<String> flags = rule.at("flags").items().stream().map(JsonValue::text).toList();
    long refused = rule.at("minute.denied").number();
    return TerminalFormat.left(rule.at("rule").text(), name)
        + TerminalFormat.right(
            TerminalFormat.rate(rule.at("minute.allowed").number() / seconds), 10)
        + TerminalFormat.right(TerminalFormat.rate(refused / seconds), 10)
        + TerminalFormat.right(TerminalFormat.percent(rule.at("refused_share").decimal()), 9)
        + TerminalFormat.right(TerminalFormat.count(rule.at("keys.distinct").number()), 9)
        + "  "
        + mode(rule, mode, seconds)
        + String.join(", ", limits)
        + (flags.isEmpty() ? "" : "  (" + String.join(", ", flags).replace('_', ' ') + ")");
  }

  private static String mode(JsonValue rule, String mode, double seconds) {
    long would = rule.at("minute.shadow_denied").number();
    String more =
        would == 0 ? "" : ", " + TerminalFormat.rate(would / seconds) + "/s would be refused";
    return mode.equals("enforce") ? "" : mode + more + ": ";
  }

  /** Both lists side by side if there is room for ids, otherwise one of them. */
  private void addKeys(Snapshot snapshot, ViewState viewState, int room) {
    lines.add("");
    int half = Math.max(0, width / 2 - 1);
    boolean isWide = half - NUMBER - ID > MIN_NAME_WIDTH;
    List<String> refused =
        callers(snapshot, viewState, ViewState.Focus.REFUSED, isWide ? half : width);
    addWouldBe(refused, snapshot, isWide ? half : width, room - 1);
    List<String> near = callers(snapshot, viewState, ViewState.Focus.NEAR, isWide ? half : width);
    List<String> shown = viewState.showsNear() ? near : refused;
    int rows = isWide ? Math.max(refused.size(), near.size()) : shown.size();
    for (int i = 0; i < Math.min(room - 1, rows); i++) {
      String one = i < refused.size() ? refused.get(i) : " ".repeat(half);
      String other = i < near.size() ? near.get(i) : "";
      lines.add(isWide ? (one + "  " + other).stripTrailing() : shown.get(i).stripTrailing());
    }
    if (rows == 1) {
      lines.add(paint(FAINT, "none in the last minute"));
    }
  }

  /** A title and a line for each caller, all of the same width. */
  private List<String> callers(
      Snapshot snapshot, ViewState viewState, ViewState.Focus list, int width) {
    boolean isNear = list == ViewState.Focus.NEAR;
    List<String> column = new ArrayList<>();
    String title = isNear ? "NEAREST TO THEIR LIMIT" : "MOST REFUSED";
    column.add(paint(BOLD, TerminalFormat.left(title, width)));
    List<JsonValue> callers = snapshot.callers(list);
    int selected = viewState.callerPlace(list, callers.size());
    for (int i = 0; i < callers.size(); i++) {
      String line = key(callers.get(i), width, isNear);
      column.add(i == selected ? paint(INVERSE, line) : line);
    }
    return column;
  }

  /** Callers that shadow rules would refuse, in up to half of the lines. */
  private void addWouldBe(List<String> column, Snapshot snapshot, int width, int room) {
    List<JsonValue> callers = snapshot.wouldBeRefused().at("items").items();
    int lines = Math.min(callers.size() + 1, Math.max(room / 2, room - column.size()));
    if (callers.isEmpty() || lines < 2) {
      return;
    }
    while (column.size() > Math.max(1, room - lines)) {
      column.remove(column.size() - 1);
    }
    column.add(paint(BOLD, TerminalFormat.left("WOULD BE REFUSED (SHADOW RULES)", width)));
    callers.stream().limit(lines - 1).forEach(each -> column.add(key(each, width, false)));
  }

  private static String key(JsonValue item, int width, boolean isNear) {
    String number =
        isNear && !item.at("use").isNothing()
            ? TerminalFormat.percent(item.at("use").decimal())
            : TerminalFormat.count(item.at("count").number());
    String rule = item.at("rule").text();
    JsonValue override = item.at("override");
    String limits = override.isNothing() ? rule : rule + " (" + override.text() + ")";
    String name = limits + " " + item.at("key").text();
    int room = Math.max(0, width - NUMBER - ID);
    String line =
        TerminalFormat.left(name, room)
            + " "
            + item.at("id").text()
            + TerminalFormat.right(number, NUMBER - 1);
    return TerminalFormat.left(line, width);
  }

  private String paint(String code, String text) {
    return isPainted ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
