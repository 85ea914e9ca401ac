package io.weir.cli.top;

import io.weir.cli.node.JsonValue;
import java.util.List;
import java.util.Locale;

/**
 * The problem of the store, in a line that a narrow terminal may cut. The numbers come first; they
 * are those of the dashboard's banner.
 */
final class StoreProblemLine {
  private static final int MAX_RULES = 3;

  private StoreProblemLine() {}

  /** For an overview with a degraded or unavailable store. */
  static String of(JsonValue jsonValue) {
    JsonValue store = jsonValue.at("store");
    String state = store.at("state").text().equals("down") ? "Outage" : "Degraded";
    JsonValue outage = store.at("outage");
    if (outage.isNothing()) {
      return "%s: of the last minute, %s decisions without the store%s; %s errors of %s calls"
          .formatted(
              state,
              number(store.at("minute.fallback")),
              rules(store),
              number(store.at("minute.errors")),
              number(store.at("minute.calls")));
    }
    boolean isOver = !outage.at("to").isNothing();
    long end = (isOver ? outage.at("to") : jsonValue.at("time")).number();
    String howLong = TerminalFormat.time(Math.max(1, (end - outage.at("from").number()) / 1000));
    return "%s %s: %s decisions without the store, %s allowed, %s refused%s%s%s; %s"
        .formatted(
            state,
            (isOver ? "after an outage of " : "for ") + howLong,
            number(outage.at("decisions")),
            number(outage.at("allowed")),
            number(outage.at("refused")),
            some(outage.at("error"), "returned 503"),
            some(outage.at("would_refuse"), "would be refused"),
            rules(store),
            isOver
                ? "answers again"
                : outage.at("part").text() + " " + outage.at("problem").text());
  }

  private static String some(JsonValue value, String words) {
    return value.isNothing() || value.number() == 0 ? "" : ", " + number(value) + " " + words;
  }

  private static String number(JsonValue value) {
    return String.format(Locale.ROOT, "%,d", value.number());
  }

  private static String rules(JsonValue store) {
    List<String> names =
        store.at("rules").items().stream().map(rule -> rule.at("rule").text()).toList();
    int more = names.size() - MAX_RULES;
    String shown = String.join(", ", names.subList(0, Math.min(MAX_RULES, names.size())));
    return names.isEmpty() ? "" : " (" + shown + (more > 0 ? " and " + more + " more)" : ")");
  }
}
